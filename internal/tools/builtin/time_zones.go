package builtin

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	_ "time/tzdata" // zones are known on machines without a zone database too; costs 450 KB of the binary

	"nanoclaw/internal/nearest"
)

// timeZones lists the IANA names, one per line: the standard library knows the
// zones but cannot list them.
//
//go:embed time_zones.txt
var timeZones string

type zoneIndex struct {
	names    []string
	byFolded map[string]string
	byCity   map[string][]string // folded last part of the name
}

var zoneNames = sync.OnceValue(func() zoneIndex {
	index := zoneIndex{names: strings.Fields(timeZones), byFolded: map[string]string{}, byCity: map[string][]string{}}
	for _, name := range index.names {
		folded := foldZone(name)
		index.byFolded[folded] = name
		city := cityOf(folded)
		index.byCity[city] = append(index.byCity[city], name)
	}
	return index
})

var zoneSpaces = strings.NewReplacer(" ", "_", "-", "_")

func foldZone(name string) string { return strings.ToLower(zoneSpaces.Replace(name)) }

func cityOf(zone string) string { return zone[strings.LastIndexByte(zone, '/')+1:] }

// otherCities are places that people name although no zone is named after them.
var otherCities = map[string]string{
	"beijing": "Asia/Shanghai", "shenzhen": "Asia/Shanghai", "guangzhou": "Asia/Shanghai", "china": "Asia/Shanghai",
	"北京": "Asia/Shanghai", "上海": "Asia/Shanghai", "中国": "Asia/Shanghai", "香港": "Asia/Hong_Kong", "台北": "Asia/Taipei",
	"东京": "Asia/Tokyo", "日本": "Asia/Tokyo", "首尔": "Asia/Seoul", "新加坡": "Asia/Singapore", "伦敦": "Europe/London",
	"巴黎": "Europe/Paris", "柏林": "Europe/Berlin", "莫斯科": "Europe/Moscow", "纽约": "America/New_York",
	"洛杉矶":    "America/Los_Angeles",
	"mumbai": "Asia/Kolkata", "delhi": "Asia/Kolkata", "new_delhi": "Asia/Kolkata", "bangalore": "Asia/Kolkata",
	"india":         "Asia/Kolkata",
	"san_francisco": "America/Los_Angeles", "seattle": "America/Los_Angeles", "pst": "America/Los_Angeles",
	"pdt":    "America/Los_Angeles",
	"boston": "America/New_York", "washington": "America/New_York", "miami": "America/New_York",
	"edt":     "America/New_York",
	"germany": "Europe/Berlin", "munich": "Europe/Berlin", "frankfurt": "Europe/Berlin", "france": "Europe/Paris",
	"japan": "Asia/Tokyo",
}

// nearZones finds at most five zones that a name that is none was perhaps meant to be.
func nearZones(name string) []string {
	folded := foldZone(name)
	city := cityOf(folded)
	var near []string
	if zone, known := otherCities[city]; known {
		near = append(near, zone)
	}
	index := zoneNames()
	near = append(near, index.byCity[city]...)
	near = append(near, nearest.Names(folded, index.names, 5)...)
	if len(near) == 0 {
		cities := make([]string, 0, len(index.byCity))
		for known := range index.byCity {
			cities = append(cities, known)
		}
		for _, alike := range nearest.Names(city, cities, 3) {
			near = append(near, index.byCity[alike]...)
		}
	}
	seen := map[string]bool{}
	near = slices.DeleteFunc(near, func(zone string) bool {
		repeated := seen[zone]
		seen[zone] = true
		return repeated
	})
	return near[:min(5, len(near))]
}
