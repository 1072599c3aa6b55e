package calc

import (
	"errors"
	"strings"
	"testing"
)

// BT3
func TestEvaluateAnswersAsPythonDoesAndExactlyWhereThereIsAnExactAnswer(t *testing.T) {
	t.Parallel()
	for expression, want := range map[string]string{
		// arithmetic and precedence
		"12*(3+4)": "84", "1+2*3": "7", "2**3**2": "512", "-2**2": "-4", "(-2)**2": "4", "2**-1": "0.5",
		"2**-2**2": "0.0625",
		"-3**-1":   "-0.3333333333333333333333333333333333", "--3": "3", "+-+3": "-3", "2*-3": "-6", "10-4-3": "3",
		"100/10/2": "5",
		"7//2":     "3", "-7//2": "-4", "7//-2": "-4", "-7//-2": "3", "7%3": "1", "-7%3": "2", "7%-3": "-2",
		"-7%-3":  "-1",
		"-7.5%2": "0.5", "7.5//2": "3", "5.5%-2": "-0.5", "2*7%4": "2", "-7//2*2+-7%2": "-7", "1e400%7": "4",
		"0**0": "1", "0**5": "0", "1**99999999999": "1", "(-1)**99999999999": "-1", "0.5**3": "0.125",
		"(2/3)**2*9": "4",
		// exact numbers
		"0.1+0.2": "0.3", "1/3*3": "1", "1/3+1/3+1/3": "1", "0.1*3": "0.3", "1.10+2.20": "3.3", "1-0.9": "0.1",
		"7/2": "3.5", "6/3": "2",
		"9007199254740993+1": "9007199254740994", "2**64": "18446744073709551616",
		"2**200":              "1606938044258990275541962092341162602522202993782792835301376",
		"123456789*987654321": "121932631112635269", "1/8": "0.125", "1.1**10": "2.5937424601",
		"10**30": "1000000000000000000000000000000",
		"1e3":    "1000", "1.5e-3": "0.0015", "2.50": "2.5", "1e-7": "1e-7", "0.000001": "0.000001",
		"1/2**30": "9.31322574615478515625e-10", "1000000*0.000001": "1",
		// 34 digits
		"1/3": "0.3333333333333333333333333333333333", "2/3": "0.6666666666666666666666666666666667",
		"10**400/3": "3.333333333333333333333333333333333e+399",
		"1/7":       "0.1428571428571428571428571428571429", "100/7": "14.28571428571428571428571428571429",
		"-1/3e20": "-3.333333333333333333333333333333333e-21",
		"sqrt(2)": "1.414213562373095048801688724209698", "sqrt(2)**2": "2",
		"2**0.5": "1.414213562373095048801688724209698", "2**100.5/2**100": "1.414213562373095048801688724209698",
		"pi": "3.141592653589793238462643383279503", "e": "2.718281828459045235360287471352662",
		"tau":      "6.283185307179586476925286766559006",
		"2**(1/3)": "1.259921049894873164767210607278228", "1.0001**100000": "22015.45604855219864570145658165872",
		// roots, exponentials, logarithms
		"sqrt(16)": "4", "sqrt(2.25)": "1.5", "sqrt(4/9)": "0.6666666666666666666666666666666667", "16**0.5": "4",
		"cbrt(27)": "3", "cbrt(-8)": "-2", "isqrt(17)": "4",
		"exp(1)": "2.718281828459045235360287471352662", "exp(0)": "1", "log(e)": "1", "ln(1)": "0", "log(8,2)": "3",
		"floor(log(8,2))": "3", "log10(1000)": "3",
		"log2(1024)": "10", "log(100, 10)": "2", "log(2)": "0.6931471805599453094172321214581766",
		"exp(-1000)": "5.075958897549456765291809479574337e-435",
		"pow(2, 10)": "1024", "hypot(3, 4)": "5", "hypot(1,1)": "1.414213562373095048801688724209698",
		// angles
		"sin(0)": "0", "cos(0)": "1", "sin(pi/2)": "1", "sin(pi)": "0", "cos(pi)": "-1", "cos(pi/2)": "0",
		"sin(pi/6)": "0.5", "tan(pi/4)": "1", "sin(1)": "0.841470984807897",
		"cos(1)": "0.54030230586814", "tan(1)": "1.5574077246549", "sin(100)": "-0.506365641109759",
		"asin(1)*2": "3.1415926535898", "acos(-1)": "3.14159265358979", "atan(1)*4": "3.141592653589792",
		"acos(1)":     "0",
		"atan2(1,-1)": "2.35619449019234", "atan2(-1,-1)": "-2.35619449019234", "atan2(0,-1)": "3.14159265358979",
		"atan2(0,0)":  "0",
		"degrees(pi)": "180", "radians(180)": "3.141592653589793238462643383279503", "sin(radians(30))": "0.5",
		"sinh(1)": "1.1752011936438",
		"cosh(0)": "1", "tanh(1)": "0.761594155955765", "asin(0.5)": "0.523598775598299",
		"sinh(1e-40)": "1e-40", "tanh(1e-40)": "1e-40", "sinh(1/4)": "0.252612316808168",
		"cosh(1/4)": "1.03141309987957",
		"ln(0.5)":   "-0.6931471805599453094172321214581766", "ln(3.5)": "1.252762968495367995688120621985003",
		"log10(2)": "0.3010299956639811952137388947244930", "cbrt(2)": "1.259921049894873164767210607278228",
		// integers
		"factorial(0)": "1", "factorial(20)": "2432902008176640000", "gcd(12,18)": "6", "gcd(12,18,27)": "3",
		"gcd(-4, 6)": "2", "lcm(4,6)": "12", "lcm(0,3)": "0", "comb(5,2)": "10", "comb(2,5)": "0", "perm(5,2)": "20",
		// rounding
		"round(2.5)": "2", "round(3.5)": "4", "round(-2.5)": "-2", "round(2.675, 2)": "2.68", "round(2.665, 2)": "2.66",
		"round(1234.5, -2)": "1200", "round(1250,-2)": "1200", "round(2/3, 4)": "0.6667", "round(pi, 2)": "3.14",
		"floor(-2.5)": "-3", "ceil(-2.5)": "-2", "trunc(-2.5)": "-2", "int(2.9)": "2", "floor(5)": "5",
		"ceil(1e-50)": "1", "floor(-1e-50)": "-1", "floor(exp(-1000))": "0",
		// many
		"min(3, 1, 2)": "1", "max(1/3, 0.3)": "0.3333333333333333333333333333333333", "max(100,200)": "200",
		"max(pi, 3.2)": "3.2", "sum(1,2,3)": "6", "sum([1, 2.5, 3,])": "6.5", "max([1,2])": "2", "mean(1,2)": "1.5",
		"avg(1,2,3,4)": "2.5", "median(3,1,2)": "2", "median(4,1,2,3)": "2.5", "prod(2,3,4)": "24", "abs(-5)": "5",
		"abs(-1/3)": "0.3333333333333333333333333333333333", "sign(-0.1)": "-1",
		// ways of writing
		" 1 +\n2 ": "3", "１＋２": "3", "（１＋２）×３": "9", "6÷2": "3", "5−3": "2", "2×3": "6", "0xff": "255",
		"0b101 + 0o17": "20", "1_000*2": "2000", ".5+.5": "1", "5.": "5", "1.e2": "100", "007": "7",
		"2*π":          "6.283185307179586476925286766559006",
		"math.sqrt(9)": "3", "Sqrt(9)": "3", "PI*0": "0", "math.pi - pi": "0", "1E3": "1000", "-0": "0", "0*-1": "0",
	} {
		got, err := Evaluate(expression)
		want = strings.TrimRight(want, "\n")
		if strings.Contains(want, ".") && !strings.Contains(want, "e") {
			want = strings.TrimRight(strings.TrimRight(want, "0"), ".")
		}
		if err != nil || got != want {
			t.Errorf("%s = %.200s, %v; want %s", expression, got, err, want)
		}
	}
}

// BT3
func TestEvaluateExplainsWhatIsWrongAndWhere(t *testing.T) {
	t.Parallel()
	for expression, want := range map[string]string{
		"":        "the expression is empty",
		"  ":      "the expression is empty",
		"1+":      "at character 3: the expression ends where a number was expected",
		"*2":      `at character 1: a number was expected before "*"`,
		"(1+2":    `at character 1: the "(" here is never closed`,
		"1+2)":    `at character 4: ")" closes nothing`,
		"()":      "at character 2: there is nothing between the parentheses",
		"2(3)":    `at character 2: an operator is missing before "("; write * to multiply`,
		"2 pi":    `at character 3: an operator is missing before "pi"; write * to multiply`,
		"pi(2)":   "an operator is missing",
		"1 2":     "at character 3: an operator is missing before a number",
		"(1)(2)":  `an operator is missing before "("`,
		"1/0":     "at character 2: division by zero",
		"1//0.0":  "division by zero",
		"5%(2-2)": "division by zero",
		"0**-1":   "division by zero",
		"2^3":     "at character 2: ^ is not a power here; write **",
		"5!":      "write factorial(n)",
		"√4":      "write sqrt(x)",
		"3²":      "write **2",
		"1,000+1": "at character 2: a comma only separates the arguments of a function; write decimals " +
			"with a point and numbers without thousands separators",
		"1，5":                 "write decimals with a point",
		"(1,5)":               "write decimals with a point",
		"max(1,000, 2)":       "at character 7: write numbers without thousands separators",
		"x=5":                 "at character 2: = is not arithmetic",
		"1<2":                 "comparisons are not supported",
		"sqrt":                "sqrt is a function: write sqrt(…)",
		"sqr(2)":              `"sqr" is not known; known are abs, acos`,
		"__import__('os')":    `"__import__" is not known`,
		"os.system(1)":        `"os" has no parts`,
		"math.":               `"math" has no parts`,
		"sqrt(1,2)":           "sqrt has 2 arguments; it is used as sqrt(x)",
		"round()":             "round has 0 arguments; it is used as round(x) or round(x, digits)",
		"min()":               "min has 0 arguments",
		"sqrt([4])":           "a list can only be",
		"[1]":                 "a list can only be",
		"sum(1,[2])":          "a list can only be",
		"max(1,2":             `the "(" here is never closed`,
		"max(1,2]":            `")" was expected to close the "(" at character 4`,
		"sum(,1)":             `a number was expected before ","`,
		"sqrt(-1)":            "no real square root",
		"(-8)**(1/3)":         "a negative number has no real power with the exponent 0.333",
		"log(0)":              "only positive numbers have a logarithm",
		"log(2,1)":            "the base of a logarithm is positive and not 1",
		"asin(2)":             "asin takes numbers from -1 to 1",
		"tan(pi/2)":           "the tangent of a right angle is infinite",
		"factorial(2.5)":      "factorial takes integers, not 2.5",
		"factorial(-1)":       "no negative number",
		"gcd(1.5, 2)":         "gcd takes integers",
		"0x":                  `"0x" is not a number of base 16`,
		"0b12":                `"0b12" is not a number of base 2`,
		"1.2.3":               "one decimal point",
		"1__0":                "_ only between digits",
		"1e99999":             "the exponent of the number is beyond",
		"1e":                  `an operator is missing before "e"`,
		"10%":                 "the expression ends where a number was expected",
		"$5":                  "leave currencies and units out",
		"一加二":                 `"一加二" is not known`,
		"1;2":                 "one expression per call",
		"\x00":                "is not supported",
		"\xff":                "is not supported",
		"ä + 1":               `at character 1: "ä" is not known`,
		"(ö1)":                "at character 2",
		"9**9**9":             "at character 2: the result has more than 10000 digits",
		"9**9**9**9":          "more than 10000 digits",
		"10**10000":           "more than 10000 digits",
		"(10**9999)*10":       "more than 10000 digits",
		"factorial(5000)":     "factorial takes numbers up to 3248",
		"factorial(10**100)":  "factorial takes numbers up to 3248",
		"comb(10**9,5*10**8)": "comb takes numbers up to 3248",
		"2**1e9":              "more than 10000 digits",
		"2.5**1e9":            "the result is too large",
		"0.5**1e9":            "the result is too close to zero",
		"exp(1e9)":            "the result is too large",
		"exp(-1e9)":           "the result is too close to zero",
		"sin(1e16)":           "the angle is too large",
		"sinh(1e9)":           "the result is too large",

		"round(1,5000)":           "round takes from",
		"exp(200000)*exp(200000)": "the result is too large",
	} {
		got, err := Evaluate(expression)
		var own *Error
		if !errors.As(err, &own) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q = %.200s, %v; want %q", expression, got, err, want)
		}
	}
}

// hard expressions are short to write and long to work out.
var hard = map[string]string{
	"a tower":            "9**9**9",
	"a megabyte":         strings.Repeat("1+", 500_000) + "1",
	"brackets":           strings.Repeat("(", 9_000) + "1",
	"closed brackets":    strings.Repeat("(", 4_900) + "1" + strings.Repeat(")", 4_900),
	"signs":              strings.Repeat("-", 9_000) + "1",
	"powers":             strings.Repeat("2**", 3_000) + "1",
	"calls":              strings.Repeat("sin(", 2_400),
	"a long sum":         strings.Repeat("1+", 4_990) + "1",
	"a long fraction":    strings.Repeat("1/3+1/7+", 1_200) + "1",
	"growing fractions":  strings.Join(fractions(), "+"),
	"growing products":   strings.Repeat("99999999999999999999*", 450) + "1",
	"large integers":     strings.Repeat("(9**10000)*(9**10000)+", 450) + "1",
	"large divisions":    strings.Repeat("9**10000//7**9000+", 500) + "1",
	"large remainders":   strings.Repeat("(9**10000+1)%(7**9000)*0+", 380) + "1",
	"large fractions":    strings.Repeat("9**9000/7**1000+", 600) + "1",
	"many sines":         strings.Repeat("sin(1)+", 1_400) + "1",
	"many logarithms":    strings.Repeat("log(9**10000)+", 700) + "1",
	"many exponentials":  strings.Repeat("exp(99999)*exp(-99999)+", 420) + "1",
	"many powers":        strings.Repeat("1.5**99999.5*0+", 600) + "1",
	"many factorials":    strings.Repeat("factorial(3000)+", 600) + "1",
	"many roots":         strings.Repeat("sqrt(9**10000+1)+", 560) + "1",
	"large common parts": "gcd(" + strings.Repeat("9**10000+1,", 900) + "1)",
	"large multiples":    "lcm(" + strings.Repeat("9**3000,7**3000,", 600) + "1)",
	"a large median":     "median(" + strings.Repeat("9**9999/7,8**9999/3,", 450) + "1)",
	"many arguments":     "sum(" + strings.Repeat("1,", 4_900) + "1)",
	"a long number":      strings.Repeat("9", 9_999),
	"small exponents":    strings.Repeat("exp(1e-40)*", 900) + "1",
	"powers near one":    strings.Repeat("(1+1e-30)**99999999+", 480) + "1",
	"large logarithms":   strings.Repeat("ln(exp(200000))+", 600) + "1",
	"near logarithms":    strings.Repeat("ln(1+1e-60)+", 800) + "1",
	"cube roots":         strings.Repeat("cbrt(9**9999)+", 700) + "1",
	"places":             strings.Repeat("round(1/3,1000)+", 600) + "1",
}

func fractions() []string {
	var all []string
	for i := 1001; len(all) < 1_300; i += 2 {
		all = append(all, "1/"+string(rune('0'+i/1000%10))+string(rune('0'+i/100%10))+string(rune('0'+i/10%10))+
			string(rune('0'+i%10)))
	}
	return all
}

// BT3: whatever is asked, an answer or an error comes, and the work is bounded.
func TestHardExpressionsAreAnsweredOrRefused(t *testing.T) {
	t.Parallel()
	for name, expression := range hard {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := Evaluate(expression)
			var own *Error
			if err != nil && (!errors.As(err, &own) || own.Message == "") || err == nil && got == "" {
				t.Errorf("%.200q, %v", got, err)
			}
		})
	}
}

// BenchmarkHard is the time of the worst expressions: at most some tens of milliseconds each.
func BenchmarkHard(b *testing.B) {
	for name, expression := range hard {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_, _ = Evaluate(expression) // error or not, it is the time that counts
			}
		})
	}
}

func BenchmarkUsual(b *testing.B) {
	for b.Loop() {
		if _, err := Evaluate("12*(3+4)-0.1"); err != nil {
			b.Fatal(err)
		}
	}
}

// BT3
func FuzzEvaluate(f *testing.F) {
	for _, seed := range []string{"12*(3+4)", "-2**2", "0x1f//3%2", "round(2.675,2)", "sum([1,2,3])", "１＋２", "1e-5",
		"log(8,2)", "1,000", "factorial(20)/3", "sin(pi)"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, expression string) {
		result, err := Evaluate(expression)
		var own *Error
		if err != nil {
			if !errors.As(err, &own) {
				t.Fatalf("%q: %T %v", expression, err, err)
			}
			return
		}
		if strings.Contains(result, "e") || len(result) > maxLength {
			return // its exponent or length may be more than one may write
		}
		if again, err := Evaluate(result); err != nil || again != result {
			t.Fatalf("%q = %s, which reads as %s, %v", expression, result, again, err)
		}
	})
}
