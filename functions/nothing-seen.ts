import { UnreachableError } from '../shared/cluster/errors.ts';

/** Kinds that could not be listed, as the error of a run that is worth trying again. */
export const nothingSeen = (incomplete: readonly { readonly error: string }[]): UnreachableError =>
  new UnreachableError([...new Set(incomplete.map(({ error }) => error))].join('; '));
