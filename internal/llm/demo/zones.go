package demo

import "strings"

// zones are time zones of places that people name; anything else goes to the tool
// as it was said.
var zones = map[string]string{
	"utc": "UTC", "gmt": "UTC", "beijing": "Asia/Shanghai", "shanghai": "Asia/Shanghai", "china": "Asia/Shanghai",
	"北京": "Asia/Shanghai", "上海": "Asia/Shanghai", "hong kong": "Asia/Hong_Kong", "香港": "Asia/Hong_Kong",
	"taipei": "Asia/Taipei", "台北": "Asia/Taipei",
	"tokyo": "Asia/Tokyo", "东京": "Asia/Tokyo", "seoul": "Asia/Seoul", "首尔": "Asia/Seoul", "singapore": "Asia/Singapore",
	"新加坡":   "Asia/Singapore",
	"delhi": "Asia/Kolkata", "mumbai": "Asia/Kolkata", "dubai": "Asia/Dubai", "迪拜": "Asia/Dubai",
	"moscow": "Europe/Moscow", "莫斯科": "Europe/Moscow",
	"london": "Europe/London", "伦敦": "Europe/London", "paris": "Europe/Paris", "巴黎": "Europe/Paris",
	"berlin": "Europe/Berlin", "柏林": "Europe/Berlin",
	"madrid": "Europe/Madrid", "rome": "Europe/Rome", "罗马": "Europe/Rome", "new york": "America/New_York",
	"纽约":      "America/New_York",
	"chicago": "America/Chicago", "los angeles": "America/Los_Angeles", "san francisco": "America/Los_Angeles",
	"洛杉矶": "America/Los_Angeles", "旧金山": "America/Los_Angeles",
	"toronto": "America/Toronto", "sao paulo": "America/Sao_Paulo", "cairo": "Africa/Cairo",
	"sydney": "Australia/Sydney", "悉尼": "Australia/Sydney",
}

func zone(place string) string {
	if name, ok := zones[strings.ToLower(place)]; ok {
		return name
	}
	return place
}
