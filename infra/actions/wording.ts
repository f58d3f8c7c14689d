import type { Incomplete } from '../../shared/resync/survey-result.ts';

/** `1 resource`, `2 resources` */
export const counted = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : plural}`;

/** Groups equal texts: `a, b and 3 more: text`. */
export const grouped = (
  problems: readonly { readonly about: string; readonly text: string }[],
): readonly { readonly about: string; readonly text: string }[] =>
  [...Map.groupBy(problems, ({ text }) => text)].map(([text, same]) => {
    const names = [...new Set(same.map(({ about }) => about))];
    const shown = names.length > 4 ? names.slice(0, 3) : names;
    const rest = names.length - shown.length;
    return { about: shown.join(', ') + (rest === 0 ? '' : ` and ${rest} more`), text };
  });

/** Names each kind or type of children whose list was incomplete, with the error. */
export const incompleteTexts = (incomplete: readonly Incomplete[]) =>
  incomplete.map(({ kind, error, ofChildren }) => ({
    about: ofChildren ? `children in ${kind}` : kind,
    text: error,
  }));

/** `a; b; c; and 2 more` */
export function some(items: readonly string[]): string {
  const shown = items.slice(0, 3);
  const more = items.length - shown.length;
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}
