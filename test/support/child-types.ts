import * as index from '../../index.ts';

/** Every child type of Kubernetes that kinds may own. */
export const builtInTypes: readonly index.ChildType[] = Object.values(index).filter(
  (one): one is index.ChildType & typeof one => typeof one === 'object' && 'plural' in one,
);
