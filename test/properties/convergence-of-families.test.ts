import { afterAll, beforeAll, test } from 'vitest';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { blockedBy, isHeldUp, type Scene } from '../reconcile/desired.ts';
import { desiredChildrenOf } from '../reconcile/desired-children.ts';
import { digestOf, hashLabel } from '../scenarios/applications.ts';
import { kindsFor } from '../support/config.ts';
import { everyWorld } from './convergence.ts';
import { type DirectEngine, openDirectEngine } from './direct-engine.ts';
import { testTimeoutMs } from './runs.ts';
import { familyScripts } from './script-of-families.ts';

const kinds = kindsFor({
  authUrl: 'https://auth.example.com/check',
  ingressClass: 'nginx',
}).filter(({ kind }) => ['Application', 'ContainerApp', 'Database'].includes(kind));

let engine: DirectEngine;
beforeAll(async () => {
  engine = await openDirectEngine();
});
afterAll(() => engine.cluster.stop());

/** Maps equal values to equal strings and different values to different strings, across all worlds. */
function openBijection(): (value: JsonObject, text: string | undefined) => boolean {
  const strings = new Map<string, string | undefined>();
  return (value, text) => {
    const key = JSON.stringify(value);
    if (strings.has(key)) return strings.get(key) === text;
    const isNew = text !== undefined && ![...strings.values()].includes(text);
    strings.set(key, text);
    return isNew;
  };
}

const isHash = openBijection();
const isDigest = openBijection();

/** Lists Deployments that wait for nothing, but whose hash or digest does not match the spec. */
function unattested(scene: Scene): readonly string[] {
  const { resources, children } = scene;
  return resources.flatMap((resource) => {
    const { kind, metadata, spec = {} } = resource;
    const { name, uid } = metadata;
    if (blockedBy(scene, resource).length > 0 || isHeldUp(scene, resource)) return [];
    if (desiredChildrenOf(resource) === undefined) return [];
    const live = children.find(
      (child) => child.kind === 'Deployment' && child.metadata.ownerReferences?.[0]?.uid === uid,
    );
    if (kind !== 'Application' || live === undefined) return [];
    const { greeting = '', ...rest } = spec;
    const hash = live.metadata.labels?.[hashLabel];
    return [
      ...(isHash({ name, ...rest, greeting }, hash) ? [] : [`${name}: the hash is ${hash}`]),
      ...(isDigest({ greeting }, digestOf(live)) ? [] : [`${name}: the digest does not match`]),
    ];
  });
}

test(
  'any world of Applications, ContainerApps and Databases converges, and foreign objects do not change',
  () => everyWorld(engine, { scripts: familyScripts, kinds, cases: 60, further: unattested }),
  testTimeoutMs,
);
