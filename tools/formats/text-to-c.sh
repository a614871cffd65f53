#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# text-to-c.sh NAME FILE: prints FILE as a C string called NAME, without the first
# line, which has the licence.

set -eu
echo "static const char $1[] ="
sed -e 1d -e 's/\\/\\\\/g' -e 's/["?]/\\&/g' -e 's/^/"/' -e 's/$/\\n"/' "$2"
echo ";"
