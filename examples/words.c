// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Counts the words of a text and prints the most frequent one. docs/tutorial.md
 * profiles it. It is slow; -DTO_FRONT makes it faster.
 *
 *	words FILE...
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct word {
	struct word	*next;
	unsigned long	count;
	char		text[32];
};

static struct word *words;

static __attribute__((noinline)) struct word *find(const char *text)
{
	struct word **at, *word;

	for (at = &words; *at; at = &(*at)->next)
		if (!strcmp((*at)->text, text))
			break;
	word = *at;
#ifdef TO_FRONT
	if (word) {
		*at = word->next;
		word->next = words;
		words = word;
	}
#endif
	return word;
}

static void add(const char *text)
{
	struct word *word = find(text);

	if (!word) {
		word = calloc(1, sizeof(*word));
		if (!word)
			exit(1);
		strcpy(word->text, text);
		word->next = words;
		words = word;
	}
	word->count++;
}

static void read_words(FILE *file)
{
	char text[sizeof(words->text)];
	size_t n = 0;
	int c;

	do {
		c = getc(file);
		if (isalnum(c) && n + 1 < sizeof(text)) {
			text[n++] = (char)c;
		} else if (n) {
			text[n] = '\0';
			add(text);
			n = 0;
		}
	} while (c != EOF);
}

int main(int argc, char **argv)
{
	const struct word *word, *most = NULL;
	int i;

	for (i = 1; i < argc; i++) {
		FILE *file = fopen(argv[i], "r");

		if (!file)
			return perror(argv[i]), 1;
		read_words(file);
		fclose(file);
	}
	for (word = words; word; word = word->next)
		if (!most || word->count > most->count)
			most = word;
	if (most)
		printf("%s: %lu times\n", most->text, most->count);
	return 0;
}
