package calc

import (
	"math/big"

	"github.com/cockroachdb/apd/v3"
)

// power is a ** b. A power with an integer exponent is exact as long as its
// digits can be written down.
func (e *evaluator) power(a, b value, position int) (value, error) {
	if b.isZero() {
		return small(1), nil
	}
	if a.isZero() {
		if b.sign() < 0 {
			return value{}, fail(position, "division by zero: 0 has no negative power")
		}
		return small(0), nil
	}
	exponent, isWhole := b.whole()
	if a.exact != nil && isWhole {
		if v, done, err := e.exactPower(a.exact, exponent, position); done || err != nil {
			return v, err
		}
	}
	if a.sign() < 0 && !isWhole {
		return value{}, fail(position, "a negative number has no real power with the exponent %s", b)
	}
	if root, ok := exactRoot(a, b); ok {
		return root, nil
	}
	if err := e.spend(20_000, position); err != nil {
		return value{}, err
	}
	return nearPower(a, b, isWhole && exponent.Bit(0) == 1, position)
}

// exactPower raises by repeated multiplication when the result is small enough.
// An integer that grows beyond the bound is an error; a fraction is left to nearPower.
func (e *evaluator) exactPower(base *big.Rat, exponent *big.Int, position int) (v value, done bool, err error) {
	num, den := base.Num(), base.Denom()
	if num.IsInt64() && den.IsInt64() && den.Int64() == 1 && (num.Int64() == 1 || num.Int64() == -1) {
		if exponent.Bit(0) == 0 {
			return small(1), true, nil
		}
		return small(num.Int64()), true, nil
	}
	n := new(big.Int).Abs(exponent)
	top, bottom := num, den
	if exponent.Sign() < 0 {
		top, bottom = den, num
	}
	growsInteger := bottom.IsInt64() && (bottom.Int64() == 1 || bottom.Int64() == -1)
	// |x|**n has more than (bits-1)*n bits, and at most bits*n.
	bits := max(top.BitLen(), bottom.BitLen())
	if !n.IsInt64() || n.Int64() > 4*maxBits || int64(bits-1)*n.Int64() > maxBits {
		if growsInteger {
			return value{}, true, tooLarge(position)
		}
		return value{}, false, nil
	}
	if err := e.spend(bits*int(n.Int64())/8, position); err != nil {
		return value{}, true, err
	}
	r := new(big.Rat).SetFrac(new(big.Int).Exp(top, n, nil), new(big.Int).Exp(bottom, n, nil))
	v, err = fraction(r, position)
	return v, true, err
}

// exactRoot finds a square root that is a fraction itself, of a fraction.
func exactRoot(a, b value) (value, bool) {
	half := b.exact != nil && b.exact.Cmp(big.NewRat(1, 2)) == 0
	if !half || a.exact == nil || a.sign() < 0 {
		return value{}, false
	}
	num := new(big.Int).Sqrt(a.exact.Num())
	den := new(big.Int).Sqrt(a.exact.Denom())
	root := new(big.Rat).SetFrac(num, den)
	if new(big.Rat).Mul(root, root).Cmp(a.exact) != 0 {
		return value{}, false
	}
	return value{exact: root}, true
}

// nearPower is exp(b·ln|a|), with enough digits that those of a large exponent
// do not eat up those of the result.
func nearPower(a, b value, odd bool, position int) (value, error) {
	x, err := a.decimal(position)
	if err != nil {
		return value{}, err
	}
	y, err := b.decimal(position)
	if err != nil {
		return value{}, err
	}
	logarithm, err := naturalLogarithm(new(apd.Decimal).Abs(x), position)
	if err != nil {
		return value{}, err
	}
	chain := &arithmetic{ctx: precise}
	product := chain.mul(logarithm, y)
	if chain.err != nil {
		return value{}, explain(chain.err, position)
	}
	result, err := exponential(work, product, position)
	if err != nil {
		return value{}, err
	}
	if a.sign() < 0 && odd {
		result.Neg(result)
	}
	return near(result), nil
}
