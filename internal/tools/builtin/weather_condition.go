package builtin

// conditions are the WMO weather codes that the service uses (table 4677), in
// English and Chinese.
var conditions = map[int][2]string{
	0: {"clear sky", "晴"}, 1: {"mainly clear", "晴间多云"}, 2: {"partly cloudy", "多云"}, 3: {"overcast", "阴"},
	45: {"fog", "雾"}, 48: {"depositing rime fog", "雾凇"},
	51: {"light drizzle", "小毛毛雨"}, 53: {"moderate drizzle", "毛毛雨"}, 55: {"dense drizzle", "大毛毛雨"},
	56: {"light freezing drizzle", "轻度冻毛毛雨"}, 57: {"dense freezing drizzle", "冻毛毛雨"},
	61: {"slight rain", "小雨"}, 63: {"moderate rain", "中雨"}, 65: {"heavy rain", "大雨"},
	66: {"light freezing rain", "轻度冻雨"}, 67: {"heavy freezing rain", "冻雨"},
	71: {"slight snowfall", "小雪"}, 73: {"moderate snowfall", "中雪"}, 75: {"heavy snowfall", "大雪"},
	77: {"snow grains", "米雪"},
	80: {"slight rain showers", "小阵雨"}, 81: {"moderate rain showers", "阵雨"}, 82: {"violent rain showers", "强阵雨"},
	85: {"slight snow showers", "小阵雪"}, 86: {"heavy snow showers", "大阵雪"},
	95: {"thunderstorm", "雷暴"}, 96: {"thunderstorm with slight hail", "雷暴伴小冰雹"}, 99: {"thunderstorm with heavy hail",
		"雷暴伴大冰雹"},
}

func conditionOf(code int, chinese bool) string {
	names, known := conditions[code]
	switch {
	case !known && chinese:
		return "未知"
	case !known:
		return "unknown"
	case chinese:
		return names[1]
	}
	return names[0]
}
