import { AssertionError } from 'node:assert';

/** The laws that every kind keeps. */
export const laws = {
  pure: 'children() depends on the resource alone and does not change it',
  owned: 'every child has a type in owns and a name of its own',
  created: 'the first run creates every wanted child',
  planned: 'a run sends what its plan says',
  quiet: 'a run without changes writes nothing',
  followed: 'the run for an audit event follows a change of an object that the kind reads',
  repaired: 'a field that another writer changes or removes is restored by the next run',
  recreated: 'a deleted child is created again by the next run',
  collected: 'a deleted resource leaves nothing behind',
  sound: 'generate finds no problem with it',
} as const;

export type Law = (typeof laws)[keyof typeof laws];

const mostLines = 20;

/** Makes the error for a broken law, with at most 20 lines of evidence. */
export function breach(law: Law, what: string, seen: readonly string[]): AssertionError {
  const more = seen.length > mostLines ? [`and ${seen.length - mostLines} more`] : [];
  const lines = [...seen.slice(0, mostLines), ...more].map((line) => `  ${line}`);
  const message = [`${what} breaks the law "${law}":`, ...lines].join('\n');
  return new AssertionError({ message, operator: 'expectConverged' });
}
