import type { Report } from '../../shared/resync/report.ts';
import type { Incomplete } from '../../shared/resync/survey-result.ts';

/** `1 resource`, `2 resources` */
export const counted = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : plural}`;

interface Problem {
  readonly about: string;
  readonly text: string;
}

/** Groups problems by their text: `a, b, c and 3 more could not be read: forbidden`. */
export const problemLines = (problems: readonly Problem[], what = ''): readonly string[] =>
  [...Map.groupBy(problems, ({ text }) => text)].map(([text, same]) => {
    const names = [...new Set(same.map(({ about }) => about))];
    const shown = names.length > 4 ? names.slice(0, 3) : names;
    const rest = names.length - shown.length;
    return `${shown.join(', ')}${rest === 0 ? '' : ` and ${rest} more`}${what}: ${text}`;
  });

export const problemOf = ({ key, reason, message }: Report['failures'][number]): Problem => ({
  about: key,
  text: `${reason}: ${message}`,
});

export const incompleteProblems = (incomplete: readonly Incomplete[]): readonly Problem[] =>
  incomplete.map(({ kind, error, namespace, ofChildren }) => {
    const about = ofChildren ? `children in ${kind}` : kind;
    return { about: namespace === undefined ? about : `${about} in ${namespace}`, text: error };
  });

/** Shortens a list of more than `most` items: `['a', 'b', 'and 2 more']`. */
export const shortened = (items: readonly string[], most: number): readonly string[] =>
  items.length > most ? [...items.slice(0, most), `and ${items.length - most} more`] : items;
