import { describe, expect, it } from 'vitest';
import type { Child } from '../../shared/kinds/child.ts';
import type { ChildType } from '../../shared/kinds/child-type.ts';
import { deployment, statefulSet } from '../../shared/kinds/child-types/apps.ts';
import {
  configMap,
  namespace,
  persistentVolumeClaim,
  secret,
  service,
} from '../../shared/kinds/child-types/core.ts';
import { ingress } from '../../shared/kinds/child-types/networking.ts';
import { groupResource } from '../../shared/kubernetes.ts';
import type { Decided, Decision } from '../../shared/plan/decision/decision.ts';
import { requireNeeds, siblingsOf } from '../../shared/plan/decision/dependencies.ts';
import { refOf, type World } from '../../shared/plan/observed/world.ts';
import { unlistedAmong } from '../../shared/plan/unwanted.ts';
import { casesOf } from '../support/cases.ts';
import { unexplored } from '../support/unexplored.ts';

type Relations = Pick<Child, 'needs' | 'actsOn' | 'generated' | 'namespace'>;

const one = (type: ChildType, name: string, relations: Relations = {}): Child => ({
  type,
  name,
  body: {},
  ...relations,
});

interface Case {
  readonly reason: string;
  readonly unlisted: readonly ChildType[];
  readonly children: readonly Child[];
  /** The children whose deletion waits; undefined if all deletions wait. */
  readonly want: { readonly children: string; readonly types: string } | undefined;
}

const cases: Record<string, Case> = {
  AllListed: {
    reason: 'if every type was listed, each deletion waits for all children',
    unlisted: [],
    children: [one(configMap, 'c')],
    want: undefined,
  },
  NotDesired: {
    reason: 'nothing waits for a type of which no child is desired',
    unlisted: [secret],
    children: [one(configMap, 'c')],
    want: undefined,
  },
  Unrelated: {
    reason: 'only deletions of the same type wait for children without relations',
    unlisted: [secret],
    children: [one(secret, 's'), one(configMap, 'c')],
    want: { children: 's', types: 'secrets' },
  },
  Needy: {
    reason: 'a child that needs an unlisted one waits, and the child that it replaces stays',
    unlisted: [secret],
    children: [
      one(deployment, 'd', { needs: [{ type: secret, name: 's' }] }),
      one(secret, 's'),
      one(configMap, 'c'),
    ],
    want: { children: 'd s', types: 'deployments.apps secrets' },
  },
  Needed: {
    reason: 'a child that an unlisted one may still use stays',
    unlisted: [deployment],
    children: [
      one(deployment, 'd', { needs: [{ type: configMap, name: 'c' }] }),
      one(configMap, 'c'),
      one(secret, 's'),
    ],
    want: { children: 'd', types: 'configmaps deployments.apps' },
  },
  Chain: {
    reason: 'relations are followed in both directions, whatever their order',
    unlisted: [secret],
    children: [
      one(statefulSet, 'x', { needs: [{ type: deployment, name: 'd' }] }),
      one(deployment, 'd', { needs: [{ type: configMap, name: 'c' }] }),
      one(configMap, 'c', { needs: [{ type: secret, name: 's' }] }),
      one(secret, 's'),
    ],
    want: { children: 'c d s x', types: 'configmaps deployments.apps secrets statefulsets.apps' },
  },
  Ingress: {
    reason: 'a Service to which an unlisted Ingress may lead stays',
    unlisted: [ingress],
    children: [one(ingress, 'i', { actsOn: { type: service, name: 'v' } }), one(service, 'v')],
    want: { children: 'i', types: 'ingresses.networking.k8s.io services' },
  },
  UsersOfData: {
    reason: 'a password stays while an unlisted volume claim may hold its data',
    unlisted: [persistentVolumeClaim],
    children: [
      one(secret, 's', {
        generated: { keys: ['a'], usedBy: [{ type: persistentVolumeClaim, name: 'p' }] },
      }),
      one(persistentVolumeClaim, 'p'),
    ],
    want: { children: 'p', types: 'persistentvolumeclaims secrets' },
  },
  Authority: {
    reason: 'the Secret of a certificate authority stays while an unlisted certificate may need it',
    unlisted: [secret],
    children: [
      one(secret, 's', {
        generated: { usedBy: [], certificate: { issuer: 'ca', dnsNames: ['a'] } },
      }),
      one(secret, 'ca'),
    ],
    want: { children: 'ca s', types: 'secrets' },
  },
  Namespace: {
    reason: 'a child waits for its Namespace',
    unlisted: [namespace],
    children: [
      one(namespace, 'n'),
      one(configMap, 'c', { namespace: 'n' }),
      one(secret, 's', { namespace: 'other' }),
    ],
    want: { children: 'c n', types: 'configmaps namespaces' },
  },
};

describe('unlistedAmong', () => {
  it.each(casesOf(cases))('%s', (_, { unlisted, children, want }) => {
    const why = { reason: 'TypeNotServed', message: '', transient: false };
    const world = {
      ...unexplored,
      resource: { namespace: 'a', status: {}, applied: {} },
      children: new Map(),
      unlisted: new Map(unlisted.map((type) => [groupResource(type), why])),
    } as unknown as World;
    const alone = children.map((child): Decided => {
      const about = { type: child.type, child: refOf(child), namespace: 'a' };
      const decision: Decision = unlisted.includes(child.type)
        ? { ...about, ...why, verb: 'block' }
        : { ...about, verb: 'create', fields: {}, existed: false };
      return { child, observed: undefined, foreign: false, decision };
    });
    const siblings = siblingsOf(alone);
    const decided = alone.map((each) => ({
      ...each,
      decision: requireNeeds(each, siblings, world),
    }));
    const found = unlistedAmong(decided, world);
    const sorted = (some: Iterable<string>): string => [...some].toSorted().join(' ');
    const names = [...(found?.children ?? [])].map((key) => key.split('/').at(-1) ?? '');
    expect(found && { children: sorted(names), types: sorted(found.types) }).toEqual(want);
  });
});
