package calc

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/cockroachdb/apd/v3"
)

// function is one that an expression may call.
type function struct {
	least, most int // number of arguments; most < 0: any number
	usage       string
	cost        int // beside that of exact arithmetic
	call        func(e *evaluator, args []value) value
}

var constants = map[string]value{
	"pi":  constant("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899"),
	"tau": constant("6.28318530717958647692528676655900576839433879875021164194988918461563281257241799"),
	"e":   constant("2.71828182845904523536028747135266249775724709369995957496696762772407663035354759"),
}

func constant(digits string) value {
	d, _, err := work.NewFromString(digits)
	if err != nil {
		panic("calc: " + err.Error())
	}
	return value{near: d}
}

// functions is the table of all functions. It is built on first use, since
// functions call the evaluator, which reads it.
var functions = sync.OnceValue(func() map[string]function {
	table := map[string]function{
		"abs": {1, 1, "abs(x)", 0, func(_ *evaluator, a []value) value {
			if a[0].sign() < 0 {
				return negate(a[0])
			}
			return a[0]
		}},
		"sign":  {1, 1, "sign(x)", 0, func(_ *evaluator, a []value) value { return small(int64(a[0].sign())) }},
		"floor": {1, 1, "floor(x)", 0, func(e *evaluator, a []value) value { return e.floor(a[0]) }},
		"ceil":  {1, 1, "ceil(x)", 0, func(e *evaluator, a []value) value { return negate(e.floor(negate(a[0]))) }},
		"trunc": {1, 1, "trunc(x)", 0, truncate},
		"round": {1, 2, "round(x) or round(x, digits)", 0, round},

		"sqrt": {1, 1, "sqrt(x)", transcendental, squareRoot},
		"cbrt": {1, 1, "cbrt(x)", 3 * transcendental, func(e *evaluator, a []value) value {
			return e.root(a[0], 3,
				work.Cbrt)
		}},
		"isqrt": {1, 1, "isqrt(n)", 0, integerRoot},
		"exp":   {1, 1, "exp(x)", transcendental, exponential},
		"ln":    {1, 1, "ln(x)", transcendental, logarithm},
		"log":   {1, 2, "log(x) or log(x, base)", transcendental, logarithm},
		"log2":  {1, 1, "log2(x)", transcendental, logarithmTo(2)},
		"log10": {1, 1, "log10(x)", transcendental, logarithmTo(10)},
		"pow":   {2, 2, "pow(x, y)", 0, func(e *evaluator, a []value) value { return e.binary("**", a[0], a[1]) }},
		"hypot": {1, -1, "hypot(x, y, …)", transcendental, hypotenuse},

		"degrees": {1, 1, "degrees(x)", 0, func(e *evaluator, a []value) value {
			return e.binary("/", e.binary("*", a[0], small(180)), constants["pi"])
		}},
		"radians": {1, 1, "radians(x)", 0, func(e *evaluator, a []value) value {
			return e.binary("/", e.binary("*", a[0], constants["pi"]), small(180))
		}},
		"atan2": {2, 2, "atan2(y, x)", 100, func(e *evaluator, a []value) value {
			return e.fromFloat(math.Atan2(e.float(a[0]), e.float(a[1])))
		}},

		"factorial": {1, 1, "factorial(n)", 0, factorial},
		"comb": {2, 2, "comb(n, k)", 0, choose("comb", func(n, k int64) *big.Int {
			return new(big.Int).Binomial(n,
				k)
		})},
		"perm": {2, 2, "perm(n, k)", 0,
			choose("perm", func(n, k int64) *big.Int { return new(big.Int).MulRange(n-k+1, n) })},
		"gcd": {1, -1, "gcd(a, b, …)", 0, foldIntegers("gcd", commonDivisor)},
		"lcm": {1, -1, "lcm(a, b, …)", 0, foldIntegers("lcm", commonMultiple)},

		"sum":  {0, -1, "sum(a, b, …)", 0, func(e *evaluator, a []value) value { return e.fold("+", small(0), a) }},
		"prod": {0, -1, "prod(a, b, …)", 0, func(e *evaluator, a []value) value { return e.fold("*", small(1), a) }},
		"min": {1, -1, "min(a, b, …)", 0, func(e *evaluator, a []value) value {
			return slices.MinFunc(a,
				e.compare)
		}},
		"max": {1, -1, "max(a, b, …)", 0, func(e *evaluator, a []value) value {
			return slices.MaxFunc(a,
				e.compare)
		}},
		"mean":   {1, -1, "mean(a, b, …)", 0, mean},
		"median": {1, -1, "median(a, b, …)", 0, median},
	}
	for name, f := range map[string]func(float64) float64{
		"sin": math.Sin, "cos": math.Cos, "tan": math.Tan, "asin": math.Asin, "acos": math.Acos, "atan": math.Atan,
		"sinh": math.Sinh, "cosh": math.Cosh, "tanh": math.Tanh,
	} {
		table[name] = function{1, 1, name + "(x)", 100, trigonometric(name, f)}
	}
	table["int"], table["avg"] = table["trunc"], table["mean"]
	return table
})

func unknownName(name token) {
	var known []string
	for function := range functions() {
		known = append(known, function)
	}
	for constant := range constants {
		known = append(known, constant)
	}
	slices.Sort(known)
	shown := name.text
	if len(shown) > 40 {
		shown = strings.ToValidUTF8(shown[:40], "") + "…"
	}
	failAt(name.position, "%q is not known; known are %s", shown, strings.Join(known, ", "))
}

// trigonometric makes a function of a float64. A result that is nothing but the
// rounding error of its argument is zero: sin(pi).
func trigonometric(name string, f func(float64) float64) func(*evaluator, []value) value {
	return func(e *evaluator, a []value) value {
		x := e.float(a[0])
		periodic := name == "sin" || name == "cos" || name == "tan"
		noise := 1e-15 * math.Abs(x)
		switch {
		case periodic && math.Abs(x) > 1e15:
			e.fail("the angle is too large (above 1e15 radians)")
		case name == "tan" && math.Abs(math.Cos(x)) < noise:
			e.fail("the tangent of a right angle is infinite")
		case (name == "asin" || name == "acos") && math.Abs(x) > 1:
			e.fail("%s takes numbers from -1 to 1, not %s", name, e.format(a[0]))
		}
		y := f(x)
		if periodic && math.Abs(y) < noise {
			y = 0
		}
		return e.fromFloat(y)
	}
}

// float is the value as a float64.
func (e *evaluator) float(v value) float64 {
	f, err := e.decimal(v).Float64()
	if err != nil {
		e.fail("the number is too large for trigonometry")
	}
	return f
}

// fromFloat is a float64 with the 15 digits that it surely has.
func (e *evaluator) fromFloat(f float64) value {
	d, _, err := apd.NewFromString(strconv.FormatFloat(f, 'e', 14, 64))
	if err != nil || math.IsInf(f, 0) {
		e.fail("the result is too large (above 1e308)")
	}
	return value{near: d}
}

func logarithmTo(base int64) func(*evaluator, []value) value {
	return func(e *evaluator, a []value) value { return logarithm(e, []value{a[0], small(base)}) }
}

func hypotenuse(e *evaluator, a []value) value {
	total := small(0)
	for _, side := range a {
		total = e.binary("+", total, e.binary("*", side, side))
	}
	return squareRoot(e, []value{total})
}

func truncate(e *evaluator, a []value) value {
	if a[0].sign() >= 0 {
		return e.floor(a[0])
	}
	return negate(e.floor(negate(a[0])))
}

// round rounds half to even, like Python, at a decimal place.
func round(e *evaluator, a []value) value {
	places := int64(0)
	if len(a) == 2 {
		n := e.wholeArgument("round", a[1])
		if !n.IsInt64() || n.Int64() > maxPlaces || n.Int64() < -maxDigits {
			e.fail("round takes from %d to %d digits", -maxDigits, maxPlaces)
		}
		places = n.Int64()
	}
	scale := new(big.Rat).SetInt(powerOfTen(int(max(places, -places))))
	if places < 0 {
		scale.Inv(scale)
	}
	x := new(big.Rat).Mul(e.rational(a[0]), scale)
	down, rest := new(big.Int).DivMod(x.Num(), x.Denom(), new(big.Int))
	switch rest.Lsh(rest, 1).Cmp(x.Denom()) {
	case 1:
		down.Add(down, big.NewInt(1))
	case 0:
		down.Add(down, big.NewInt(int64(down.Bit(0))))
	}
	return e.fraction(new(big.Rat).Quo(new(big.Rat).SetInt(down), scale))
}

func (e *evaluator) wholeArgument(name string, v value) *big.Int {
	n, ok := v.integer()
	if !ok {
		e.fail("%s takes integers, not %s", name, e.format(v))
	}
	return n
}

func integerRoot(e *evaluator, a []value) value {
	n := e.wholeArgument("isqrt", a[0])
	if n.Sign() < 0 {
		e.fail("isqrt takes no negative number")
	}
	return integer(new(big.Int).Sqrt(n))
}

// maxFactorial is the largest n whose factorial can be written down.
const maxFactorial = 3_248

// smallArgument is an argument from 0 to maxFactorial.
func (e *evaluator) smallArgument(name string, v value) int64 {
	n := e.wholeArgument(name, v)
	if n.Sign() < 0 {
		e.fail("%s takes no negative number", name)
	}
	if !n.IsInt64() || n.Int64() > maxFactorial {
		e.fail("%s takes numbers up to %d: the result would have more than %d digits", name, maxFactorial, maxDigits)
	}
	return n.Int64()
}

func factorial(e *evaluator, a []value) value {
	n := e.smallArgument("factorial", a[0])
	e.spend(int(n*n) / 100)
	return integer(new(big.Int).MulRange(1, n))
}

func choose(name string, count func(n, k int64) *big.Int) func(*evaluator, []value) value {
	return func(e *evaluator, a []value) value {
		n, k := e.smallArgument(name, a[0]), e.smallArgument(name, a[1])
		if k > n {
			return small(0)
		}
		e.spend(int(n*n) / 100)
		return integer(count(n, k))
	}
}

// foldIntegers makes a function of many integers from one of two.
func foldIntegers(name string, two func(a, b *big.Int) *big.Int) func(*evaluator, []value) value {
	return func(e *evaluator, args []value) value {
		result := new(big.Int).Abs(e.wholeArgument(name, args[0]))
		for _, arg := range args[1:] {
			n := e.wholeArgument(name, arg)
			e.spend(20 + result.BitLen()*n.BitLen()/1024)
			if result = two(result, new(big.Int).Abs(n)); result.BitLen() > maxBits {
				e.tooLarge()
			}
		}
		return integer(result)
	}
}

func commonDivisor(a, b *big.Int) *big.Int { return new(big.Int).GCD(nil, nil, a, b) }

func commonMultiple(a, b *big.Int) *big.Int {
	if a.Sign() == 0 || b.Sign() == 0 {
		return new(big.Int)
	}
	return new(big.Int).Mul(a, new(big.Int).Quo(b, commonDivisor(a, b)))
}

func (e *evaluator) fold(operator string, result value, args []value) value {
	for _, arg := range args {
		result = e.binary(operator, result, arg)
	}
	return result
}

func (e *evaluator) compare(a, b value) int {
	e.spend(20 + a.size()*b.size()/4)
	if a.exact != nil && b.exact != nil {
		return a.exact.Cmp(b.exact)
	}
	return e.binary("-", a, b).sign()
}

func mean(e *evaluator, a []value) value {
	return e.binary("/", e.fold("+", small(0), a), small(int64(len(a))))
}

func median(e *evaluator, args []value) value {
	sorted := slices.SortedStableFunc(slices.Values(args), e.compare)
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return mean(e, sorted[middle-1:middle+1])
}
