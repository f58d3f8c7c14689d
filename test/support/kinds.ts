import type { Child } from '../../shared/kinds/child.ts';
import type { Kind } from '../../shared/kinds/kind.ts';

export const shop = {
  name: 'shop',
  namespace: 'team',
  uid: 'u1',
  createdAt: '2026-01-01T00:00:00Z',
};

/** Returns the desired children of a resource; throws if its spec is invalid. */
export function childrenOf(kind: Kind, spec: unknown, over: object = {}): readonly Child[] {
  const children = kind.desired({ ...shop, ...over, spec });
  if ('invalid' in children) throw new Error(children.invalid);
  return children;
}

/** Returns the only child of a kind; `name` selects among several. */
export function childOf(children: readonly Child[], kind: string, name?: string): Child {
  const [found, ...more] = children.filter(
    (child) => child.type.kind === kind && (name === undefined || child.name === name),
  );
  if (found === undefined || more.length > 0) throw new Error(`not one ${kind} ${name ?? ''}`);
  return found;
}

/** Lists kinds and names, in order. */
export const listed = (children: readonly Child[]): readonly string[] =>
  children.map(({ type, name }) => `${type.kind} ${name}`);
