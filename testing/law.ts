import { AssertionError } from 'node:assert';

export const laws = {
  pure: 'children() depends only on its arguments and does not change them',
  owned: 'every child has a type in `owns`, and occurs once',
  created: 'the first runs create every desired child',
  planned: 'a run sends what its plan says',
  quiet: 'a run without changes writes nothing',
  followed:
    'after a change to an object that the kind reads, the run for the audit event updates the children',
  repaired: 'a field that another writer changes or removes is restored by the next run',
  recreated: 'a deleted child is created again by the next run',
  observed: 'while a resource is only observed, runs write only its status',
  collected: 'a deleted resource leaves nothing behind',
  sound: '`generate` finds no problem with the kind',
  total: 'children() returns the children of every spec that the schema accepts',
  unordered: 'the order of the fields of a spec does not matter',
  bounded: 'children() returns at most 1,000 children, within a second',
  applied: 'a spec that the API server accepts is applied or reported as InvalidSpec',
  effective: 'every field of a spec has an effect',
  distinct:
    'zero is not treated as an absent field or as the default; an empty string is not treated as the default',
  printed: 'no string of a child contains the text of a missing value, such as undefined',
  matched: 'selectors, targets and ports match another child',
  referred: 'every object that pods refer to exists',
  restarted: 'pods restart after a change to content that they read only at startup',
  evictable: 'a disruption budget allows evictions',
  secret: 'secret values of a spec are in Secrets only',
  named: 'resources with different names have no child in common',
  kept: 'only an edit of a name may replace a child that holds data',
  exact: 'after each edit exactly the desired children exist',
  invalid: 'a spec reported as InvalidSpec changes no child',
  fresh: 'after all edits, the children are the same as those of a new resource with the last spec',
  back: 'going back to the first spec restores its children',
  admitted:
    'once an admission webhook no longer changes or refuses writes, the children are the same as those of a new resource',
  locked: 'a run that reads an older state changes no newer child, and the next run converges',
  untouched: 'objects of other owners are not changed',
} as const;

export type Law = (typeof laws)[keyof typeof laws];

const mostLines = 20;

/** The error for a broken law. */
export class Breach extends AssertionError {
  readonly law: Law;

  constructor(law: Law, message: string) {
    super({ message, operator: 'laws' });
    this.law = law;
  }
}

/** Shows at most 20 lines of evidence. */
export function breach(law: Law, what: string, seen: readonly string[]): Breach {
  const more = seen.length > mostLines ? [`and ${seen.length - mostLines} more`] : [];
  const lines = [...seen.slice(0, mostLines), ...more].map((line) => `  ${line}`);
  const message = [`${what} breaks the law "${law}":`, ...lines].join('\n');
  return new Breach(law, message);
}
