#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# text-to-c.sh NAME FILE: FILE as a C string called NAME, on standard output.
# The first line of FILE, which has its licence, is left out.

set -eu
echo "static const char $1[] ="
sed -e 1d -e 's/\\/\\\\/g' -e 's/["?]/\\&/g' -e 's/^/"/' -e 's/$/\\n"/' "$2"
echo ";"
