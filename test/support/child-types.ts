import * as index from '../../index.ts';

/** All built-in child types. */
export const builtInTypes: readonly index.ChildType[] = Object.values(index).filter(
  (one): one is index.ChildType & typeof one => typeof one === 'object' && 'plural' in one,
);
