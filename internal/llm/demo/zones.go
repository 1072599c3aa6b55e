package demo

import "strings"

// zones are time zones of places that people name, "place=zone"; anything else
// goes to the tool as it was said.
const zones = `
utc=UTC gmt=UTC 北京=Asia/Shanghai beijing=Asia/Shanghai 上海=Asia/Shanghai shanghai=Asia/Shanghai tokyo=Asia/Tokyo
东京=Asia/Tokyo hong_kong=Asia/Hong_Kong 香港=Asia/Hong_Kong singapore=Asia/Singapore 新加坡=Asia/Singapore
delhi=Asia/Kolkata dubai=Asia/Dubai moscow=Europe/Moscow 莫斯科=Europe/Moscow london=Europe/London 伦敦=Europe/London
paris=Europe/Paris 巴黎=Europe/Paris berlin=Europe/Berlin 柏林=Europe/Berlin rome=Europe/Rome madrid=Europe/Madrid
new_york=America/New_York 纽约=America/New_York chicago=America/Chicago los_angeles=America/Los_Angeles
洛杉矶=America/Los_Angeles san_francisco=America/Los_Angeles sydney=Australia/Sydney 悉尼=Australia/Sydney `

func zone(place string) string {
	folded := strings.ReplaceAll(strings.ToLower(place), " ", "_")
	for _, pair := range strings.Fields(zones) {
		if name, ok := strings.CutPrefix(pair, folded+"="); ok {
			return name
		}
	}
	return place
}
