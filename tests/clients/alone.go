// SPDX-License-Identifier: LGPL-2.1-or-later

// As alone.c, in several threads.
package main

import (
	"os"
	"strconv"
	"syscall"
)

//go:noinline
func three(n uint64) (sum uint64) {
	for i := uint64(0); i < n; i++ {
		sum += i
	}
	return
}

func work(millions int, done chan uint64) {
	sum := uint64(0)
	for i := 0; i < 25*millions; i++ {
		sum += three(10000)
	}
	done <- sum
}

func main() {
	var usage syscall.Rusage
	done, sum := make(chan uint64), uint64(0)
	millions, _ := strconv.Atoi(os.Args[1])
	for i := 0; i < 4; i++ {
		go work(millions, done)
	}
	for i := 0; i < 4; i++ {
		sum += <-done
	}
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	ms := (usage.Utime.Nano() + usage.Stime.Nano()) / 1000000
	os.Stdout.WriteString(strconv.FormatUint(sum, 10) + " " + strconv.FormatInt(ms, 10) + "\n")
	os.Exit(7)
}
