import { activityChecks } from '../../infra/cli/doctor/activity.ts';
import { parseInterval } from '../../infra/cli/doctor/interval.ts';
import type { Inventory } from '../../infra/cli/doctor/inventory.ts';
import { logsOf, type Place } from '../../infra/cli/doctor/logs.ts';
import { type Remedies, remediesFor } from '../../infra/cli/doctor/remedies.ts';
import type { Resident } from '../../infra/cli/doctor/resident.ts';
import { kinds } from '../../shared/kinds/all.ts';
import type { Kind } from '../../shared/kinds/define-kind.ts';

export const now = new Date('2026-01-01T12:00:00Z');
export const at = (clock: string): string => `2026-01-01T${clock}Z`;

/** A Foo that nobody has touched for hours. */
export const resident = (over: Partial<Resident> = {}): Resident => ({
  name: 'Foo default/a',
  address: '-n default foos.example.com/a',
  editedAt: at('09:00:00'),
  isDeleting: false,
  isSuspended: false,
  isWaiting: false,
  answeredAt: undefined,
  isReady: true,
  stalled: undefined,
  refused: undefined,
  blocked: [],
  ...over,
});

export const context = { name: 'prod', files: ['config'], namespace: 'default', settings: {} };
export const remedies = remediesFor(
  { context, server: 'https://10.0.0.1' },
  {},
  {
    env: {},
    localKubeconfig: '/none',
  },
);
export const elsewhere: Place = { isLocal: false, gitVersion: 'v1.36.3', project: undefined };

export interface Given extends Partial<Inventory> {
  readonly interval?: string;
  readonly by?: Remedies;
  readonly kinds?: readonly Kind[];
  readonly namespaces?: readonly string[];
}

export const look = (
  { interval = '10m', by, kinds: served = kinds, namespaces, ...inventory }: Given,
  place = elsewhere,
) =>
  activityChecks(
    { residents: [], failures: [], lastWrite: undefined, ...inventory },
    {
      now,
      interval: parseInterval(interval),
      logs: logsOf(place),
      remedies: by ?? remedies,
      kinds: served,
      namespaces,
    },
  );
