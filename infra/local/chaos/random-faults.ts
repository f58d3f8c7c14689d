import type { Fault, FaultEffect } from '../api-server/faults/fault.ts';
import type { Interceptor } from '../api-server/faults/interceptors.ts';
import type { LocalCluster } from '../cluster.ts';
import type { Random } from './random.ts';

export interface RandomFaultsOptions {
  readonly cluster: Pick<LocalCluster, 'faults' | 'intercept'>;
  readonly random: Random;
  /** The user whose requests fail. */
  readonly user: string;
  /** The fraction of requests that fail, from 0 to 1. */
  readonly rate: number;
  readonly log: (text: string) => void;
}

const effects: readonly FaultEffect[] = [
  { kind: 'status', code: 429, retryAfter: 1 },
  { kind: 'status', code: 500 },
  { kind: 'status', code: 503 },
  { kind: 'drop', when: 'before' },
  { kind: 'drop', when: 'after' },
  { kind: 'delay', ms: 200 },
  { kind: 'delay', ms: 1_500 },
];

/** Makes some of a user's requests fail, each in a random way, until the returned function is called. */
export function startRandomFaults(options: RandomFaultsOptions): () => void {
  const { cluster, random, user, rate, log } = options;
  const failAtRandom: Interceptor = (request) => {
    if (request.user !== user || !random.chance(rate)) return;
    const { verb, group, resource, subresource, namespace, name } = request;
    const effect = random.pick(effects);
    const about = { verb, group, resource, subresource, namespace, name, user } as Omit<
      Fault,
      'effect'
    >;
    const removeFault = cluster.faults.add({ ...about, nth: 1, effect });
    // The request matches the fault in this turn of the event loop; later requests must not.
    setImmediate(removeFault);
    log(`${describe(effect)}: ${verb} ${nameOf(request)}`);
  };
  return cluster.intercept(failAtRandom);
}

type Request = Parameters<Interceptor>[0];

function nameOf({ resource, subresource, namespace, name }: Request): string {
  const what = subresource === '' ? resource : `${resource}/${subresource}`;
  const which = [namespace, name].filter((part) => part !== '').join('/');
  return which === '' ? what : `${what} ${which}`;
}

function describe(effect: FaultEffect): string {
  switch (effect.kind) {
    case 'status':
      return `answered ${effect.code}`;
    case 'drop':
      return effect.when === 'before' ? 'connection dropped' : 'answer dropped, request done';
    case 'delay':
      return `${effect.ms} ms late`;
  }
}
