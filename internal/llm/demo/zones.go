package demo

import "strings"

// zones are time zones of places that people name; anything else goes to the tool
// as it was said.
var zones = map[string]string{
	"utc": "UTC", "gmt": "UTC", "greenwich": "UTC", "协调世界时": "UTC", "格林尼治": "UTC",
	"beijing": "Asia/Shanghai", "shanghai": "Asia/Shanghai", "china": "Asia/Shanghai", "shenzhen": "Asia/Shanghai", "guangzhou": "Asia/Shanghai",
	"北京": "Asia/Shanghai", "上海": "Asia/Shanghai", "中国": "Asia/Shanghai", "深圳": "Asia/Shanghai", "广州": "Asia/Shanghai", "杭州": "Asia/Shanghai", "成都": "Asia/Shanghai",
	"hong kong": "Asia/Hong_Kong", "香港": "Asia/Hong_Kong", "taipei": "Asia/Taipei", "taiwan": "Asia/Taipei", "台北": "Asia/Taipei", "台湾": "Asia/Taipei",
	"tokyo": "Asia/Tokyo", "japan": "Asia/Tokyo", "东京": "Asia/Tokyo", "日本": "Asia/Tokyo", "大阪": "Asia/Tokyo",
	"seoul": "Asia/Seoul", "korea": "Asia/Seoul", "south korea": "Asia/Seoul", "首尔": "Asia/Seoul", "韩国": "Asia/Seoul",
	"singapore": "Asia/Singapore", "新加坡": "Asia/Singapore", "bangkok": "Asia/Bangkok", "曼谷": "Asia/Bangkok",
	"delhi": "Asia/Kolkata", "new delhi": "Asia/Kolkata", "mumbai": "Asia/Kolkata", "india": "Asia/Kolkata", "印度": "Asia/Kolkata", "新德里": "Asia/Kolkata", "孟买": "Asia/Kolkata",
	"dubai": "Asia/Dubai", "迪拜": "Asia/Dubai", "istanbul": "Europe/Istanbul", "伊斯坦布尔": "Europe/Istanbul", "moscow": "Europe/Moscow", "莫斯科": "Europe/Moscow",
	"london": "Europe/London", "uk": "Europe/London", "england": "Europe/London", "伦敦": "Europe/London", "英国": "Europe/London",
	"paris": "Europe/Paris", "france": "Europe/Paris", "巴黎": "Europe/Paris", "法国": "Europe/Paris",
	"berlin": "Europe/Berlin", "germany": "Europe/Berlin", "munich": "Europe/Berlin", "hamburg": "Europe/Berlin", "柏林": "Europe/Berlin", "德国": "Europe/Berlin", "慕尼黑": "Europe/Berlin",
	"madrid": "Europe/Madrid", "马德里": "Europe/Madrid", "rome": "Europe/Rome", "italy": "Europe/Rome", "罗马": "Europe/Rome",
	"amsterdam": "Europe/Amsterdam", "阿姆斯特丹": "Europe/Amsterdam", "zurich": "Europe/Zurich", "苏黎世": "Europe/Zurich", "vienna": "Europe/Vienna", "维也纳": "Europe/Vienna",
	"new york": "America/New_York", "nyc": "America/New_York", "boston": "America/New_York", "washington": "America/New_York", "纽约": "America/New_York", "华盛顿": "America/New_York", "波士顿": "America/New_York",
	"chicago": "America/Chicago", "芝加哥": "America/Chicago", "denver": "America/Denver", "丹佛": "America/Denver",
	"los angeles": "America/Los_Angeles", "san francisco": "America/Los_Angeles", "seattle": "America/Los_Angeles", "california": "America/Los_Angeles", "洛杉矶": "America/Los_Angeles", "旧金山": "America/Los_Angeles", "西雅图": "America/Los_Angeles",
	"toronto": "America/Toronto", "多伦多": "America/Toronto", "vancouver": "America/Vancouver", "温哥华": "America/Vancouver",
	"sao paulo": "America/Sao_Paulo", "são paulo": "America/Sao_Paulo", "brazil": "America/Sao_Paulo", "圣保罗": "America/Sao_Paulo",
	"cairo": "Africa/Cairo", "开罗": "Africa/Cairo", "sydney": "Australia/Sydney", "悉尼": "Australia/Sydney", "melbourne": "Australia/Melbourne", "墨尔本": "Australia/Melbourne",
	"auckland": "Pacific/Auckland", "奥克兰": "Pacific/Auckland",
}

func zone(place string) string {
	if name, ok := zones[strings.ToLower(place)]; ok {
		return name
	}
	return place
}
