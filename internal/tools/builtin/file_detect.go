package builtin

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// detectCodec finds the encoding of a file's content. ok is false for a binary
// file. Legacy encodings cannot be told from each other for certain: the one
// whose everyday characters explain the bytes best is taken.
func detectCodec(data []byte) (codec textCodec, ok bool) {
	switch {
	case bytes.HasPrefix(data, utf8BOMCodec.bom):
		return utf8BOMCodec, true
	case bytes.HasPrefix(data, utf16LEBOM.bom) && len(data)%2 == 0:
		return utf16LEBOM, true
	case bytes.HasPrefix(data, utf16BEBOM.bom) && len(data)%2 == 0:
		return utf16BEBOM, true
	case bytes.IndexByte(data, 0) >= 0:
		return detectUTF16(data)
	case tooManyControls(data):
		return textCodec{}, false
	case utf8.Valid(data) || utf8.Valid(withoutCutRune(data)):
		return utf8Codec, true
	}
	return detectLegacy(data), true
}

// withoutCutRune drops the beginning of a character at the end.
func withoutCutRune(data []byte) []byte {
	for i := 1; i <= min(utf8.UTFMax, len(data)); i++ {
		if last := data[len(data)-i:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				return data[:len(data)-i]
			}
			break
		}
	}
	return data
}

// tooManyControls says whether bytes that no text holds are more than a few.
func tooManyControls(data []byte) bool {
	controls := 0
	for _, b := range data {
		if b < 0x20 && b != '\t' && b != '\n' && b != '\r' && b != '\f' && b != '\b' && b != 0x1b {
			controls++
		}
	}
	return controls > len(data)/20
}

const utf16Sample = 64 << 10 // bytes

// detectUTF16 looks at content with NUL bytes and no mark: nearly all of it must
// be characters that can be printed, read one of the two ways.
func detectUTF16(data []byte) (textCodec, bool) {
	if len(data)%2 != 0 {
		return textCodec{}, false
	}
	sample := data[:min(len(data), utf16Sample)]
	best, bestShare := textCodec{}, 0.0
	for _, codec := range []textCodec{utf16LECodec, utf16BECodec} {
		decoded, err := codec.set.NewDecoder().Bytes(sample)
		if err != nil {
			continue
		}
		if share := plainShare(decoded); share > bestShare {
			best, bestShare = codec, share
		}
	}
	return best, bestShare > 0.95
}

// plainShare is how much of a text is ASCII, Chinese, Japanese, Korean, Latin,
// Greek or Cyrillic: read the wrong way round, a text is anything else.
func plainShare(text []byte) float64 {
	plain, all := 0, 0
	for _, char := range string(text) {
		all++
		switch {
		case char == '\n' || char == '\r' || char == '\t', char >= 0x20 && char < 0x250:
			plain++
		case unicode.In(char, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Greek,
			unicode.Cyrillic):
			plain++
		case char >= 0x2010 && char < 0x2050, char >= 0x3000 && char < 0x3040, char >= 0xFF00 && char < 0xFFF0,
			char > 0x1F000:
			plain++
		}
	}
	if all == 0 {
		return 0
	}
	return float64(plain) / float64(all)
}

// pairs describes a double-byte encoding by its first and second bytes.
type pairs struct {
	codec  textCodec
	first  func(b byte) bool
	second func(b byte) bool
	common func(first, second byte) bool // everyday characters
	single func(b byte) bool             // high bytes that stand alone
}

var legacyPairs = []pairs{
	{
		codec:  gb18030Codec,
		first:  func(b byte) bool { return b >= 0x81 && b <= 0xFE },
		second: func(b byte) bool { return b >= 0x40 && b != 0x7F && b != 0xFF },
		// Level 1 of GB 2312, punctuation and full-width forms.
		common: func(a, b byte) bool { return b >= 0xA1 && (a >= 0xB0 && a <= 0xD7 || a == 0xA1 || a == 0xA3) },
	}, {
		codec:  big5Codec,
		first:  func(b byte) bool { return b >= 0x81 && b <= 0xFE },
		second: func(b byte) bool { return b >= 0x40 && b <= 0x7E || b >= 0xA1 && b <= 0xFE },
		// The frequently used characters and punctuation.
		common: func(a, b byte) bool { return a >= 0xA4 && a <= 0xC6 || a == 0xA1 },
	}, {
		codec:  shiftJISCodec,
		first:  func(b byte) bool { return b >= 0x81 && b <= 0x9F || b >= 0xE0 && b <= 0xFC },
		second: func(b byte) bool { return b >= 0x40 && b != 0x7F && b <= 0xFC },
		// Punctuation, hiragana, katakana and level 1 of JIS X 0208.
		common: func(a, b byte) bool { return a >= 0x81 && a <= 0x83 || a >= 0x88 && a <= 0x97 },
		single: func(b byte) bool { return b >= 0xA1 && b <= 0xDF },
	},
}

// detectLegacy chooses among the double-byte encodings and Latin-1.
func detectLegacy(data []byte) textCodec {
	best, bestScore := textCodec{}, 0.5
	for _, p := range legacyPairs {
		if score := p.score(data); score > bestScore {
			best, bestScore = p.codec, score
		}
	}
	if best.set != nil {
		return best
	}
	for _, b := range data {
		if b >= 0x80 && b < 0xA0 {
			return cp1252Codec
		}
	}
	return latin1Codec
}

// score is the share of everyday characters among those beyond ASCII, less what
// is no character at all.
func (p pairs) score(data []byte) float64 {
	common, wrong, all := 0, 0, 0
	for i := 0; i < len(data); i++ {
		b := data[i]
		if b < 0x80 {
			continue
		}
		all++
		switch {
		case p.single != nil && p.single(b):
		case !p.first(b):
			wrong++
		case i+1 == len(data):
			all-- // cut off
		case p.codec.name == gb18030Codec.name && isGB18030Quad(data[i:]):
			i += 3
		case !p.second(data[i+1]):
			wrong++
		default:
			if p.common(b, data[i+1]) {
				common++
			}
			i++
		}
	}
	if all == 0 {
		return 0
	}
	return float64(common-2*wrong) / float64(all)
}

func isGB18030Quad(data []byte) bool {
	digit := func(b byte) bool { return b >= 0x30 && b <= 0x39 }
	return len(data) >= 4 && digit(data[1]) && data[2] >= 0x81 && data[2] <= 0xFE && digit(data[3])
}
