// SPDX-License-Identifier: LGPL-2.1-or-later
// C++ names, and a call that is inlined.
namespace work {

template <typename Number> class Sum {
	volatile Number sum = 0;

	[[gnu::always_inline]] void add(Number value)
	{
		sum = sum + value;
	}
public:
	[[gnu::noinline]] Number up_to(Number last)
	{
		for (Number i = 0; i < last; i++)
			add(i);
		return sum;
	}
};

}

int main()
{
	return work::Sum<unsigned long>().up_to(100000000) & 1;
}
