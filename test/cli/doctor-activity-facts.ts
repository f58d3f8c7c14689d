import { activityChecks } from '../../infra/cli/doctor/activity.ts';
import { type Installation, logsOf } from '../../infra/cli/doctor/installation.ts';
import type { Inventory } from '../../infra/cli/doctor/inventory.ts';
import { type Remedies, remediesFor } from '../../infra/cli/doctor/remedies.ts';
import type { ResourceFacts } from '../../infra/cli/doctor/resource-facts.ts';
import { parseInterval } from '../../infra/cli/interval.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { kinds } from '../support/config.ts';

export const now = new Date('2026-01-01T12:00:00Z');
export const at = (clock: string): string => `2026-01-01T${clock}Z`;

/** A Foo last edited hours ago. */
export const fooFacts = (over: Partial<ResourceFacts> = {}): ResourceFacts => ({
  name: 'Foo default/a',
  address: '-n default foos.example.com/a',
  editedAt: at('09:00:00'),
  isDeleting: false,
  isSuspended: false,
  isWaiting: false,
  answeredAt: undefined,
  isReady: true,
  otherHolders: [],
  stalled: undefined,
  refused: undefined,
  blocked: [],
  ...over,
});

export const context = { name: 'prod', files: ['config'], namespace: 'default', settings: {} };
export const remedies = remediesFor(
  { context, server: 'https://10.0.0.1', settings: [] },
  {},
  {
    env: {},
    localKubeconfig: '/none',
  },
);
export const otherInstallation: Installation = {
  isLocal: false,
  gitVersion: 'v1.36.3',
  project: undefined,
};

export interface Given extends Partial<Inventory> {
  readonly interval?: string;
  readonly by?: Remedies;
  readonly kinds?: readonly Kind[];
  readonly namespaces?: readonly string[];
}

export const check = (
  { interval = '10m', by, kinds: served = kinds, namespaces, ...inventory }: Given,
  place = otherInstallation,
) =>
  activityChecks(
    { resources: [], failures: [], lastWrite: undefined, ...inventory },
    {
      reconciler: 'serverless-reconciler',
      now,
      interval: parseInterval(interval),
      logs: logsOf(place),
      remedies: by ?? remedies,
      kinds: served,
      namespaces,
    },
  );
