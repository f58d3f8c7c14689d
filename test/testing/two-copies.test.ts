import { expect, test } from 'vitest';
import { KubeError } from '../../shared/cluster/cluster-errors.ts';
import type { ChildType } from '../../shared/kinds/child-type.ts';
import { secret } from '../../shared/kinds/child-types/core.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { explain } from '../../shared/run/explain.ts';
import type { Run } from '../../shared/run/run.ts';
import { containerApp } from '../../systems/container-app.ts';
import { database } from '../../systems/database.ts';
import { expectConverged } from '../../testing/index.ts';

/** Copies a type, as another copy of the package would have it: equal, but another object. */
const copied = <Body extends object>(type: ChildType<Body>): ChildType<Body> => ({ ...type });

/** Takes the `owns` of a kind from one copy of the package, and its children from another. */
const fromTwoCopies = (kind: Kind): Kind => ({ ...kind, owns: kind.owns.map(copied) });

test.each([
  ['exposes paths', containerApp({ authUrl: 'https://auth.example.com', ingressClass: 'nginx' })],
  ['generates a password', database],
])(
  'a kind that %s keeps the laws if its types come from two copies of the package',
  async (_, kind) => {
    const { children } = await expectConverged(fromTwoCopies(kind));
    expect(children.length).toBeGreaterThan(2);
  },
);

test('the message about a refused Secret is withheld whichever copy of the package its type comes from', async () => {
  const error = new KubeError('apply Secret default/x', {
    code: 422,
    status: { reason: 'Invalid', message: 'Invalid value: "hunter2"' },
  });
  const { message } = await explain({} as Run, copied(secret), error);
  expect(message).not.toContain('hunter2');
});
