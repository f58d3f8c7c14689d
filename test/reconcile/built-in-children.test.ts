import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { auditPolicy } from '../../infra/generate/audit/audit-policy.ts';
import { auditedTypes } from '../../infra/generate/audit/audited-types.ts';
import { customResourceDefinition } from '../../infra/generate/crd.ts';
import { applyTo, install } from '../../infra/generate/install.ts';
import { rulesFor } from '../../infra/generate/rbac.ts';
import { methodNameOf } from '../../shared/google/resource-name.ts';
import { service } from '../../shared/kinds/child-types/core.ts';
import { defineChildType } from '../../shared/kinds/define-child-type.ts';
import { isClusterScoped } from '../../shared/kubernetes.ts';
import { builtInTypes } from '../support/child-types.ts';
import {
  cases,
  certificate,
  certificateDefinition,
  garden,
  isCovered,
  note,
} from './built-in-children.ts';
import { type Engine, engineUser, isWriteRequest, openEngine, type Place } from './engine.ts';
import { compare } from './preview-comparison.ts';

vi.setConfig({ testTimeout: 60_000 });

const kinds = [garden, note];
let engine: Engine;
let place: Place;

beforeAll(async () => {
  engine = await openEngine({ controllers: 'paused' });
  const apply = applyTo(engine.cluster.url);
  await install(apply, { kinds, user: engineUser, samples: false });
  const definition = `${certificate.plural}.${certificate.group}`;
  await apply(
    `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition}`,
    customResourceDefinition(certificateDefinition),
  );
  place = await engine.place(kinds);
  await place.api.create(garden, 'garden', { spec: {} });
});
afterAll(() => engine.stop());

/** A run, what it wrote and what it reported. */
async function run() {
  const before = place.requests().length;
  const { failures, resources } = await place.resync();
  const writes = place.requests().slice(before).filter(isWriteRequest);
  return { failures, resources, writes: writes.map(({ verb, resource }) => `${verb} ${resource}`) };
}

const rows = cases.map((one) => [one.wanted.type.plural, one] as const);

describe('for a child of each type', () => {
  it.each(rows)(
    '%s: the generated rights, audit policy and sink cover it',
    (plural, { wanted }) => {
      const { group, version } = wanted.type;
      const verbs = ['get', 'list', 'create', 'patch', 'delete'];
      const rule = rulesFor(kinds).find(
        (one) => one.apiGroups.includes(group) && verbs.every((verb) => one.verbs.includes(verb)),
      );
      expect(rule?.resources).toContain(plural);
      const [covered] = auditPolicy(kinds).rules as readonly [{ resources: readonly Covered[] }];
      expect(covered.resources.find((one) => one.group === group)?.resources).toContain(plural);
      const types = Object.values(auditedTypes(kinds).kinds).flatMap(({ resource, children }) => [
        resource,
        ...Object.values(children),
      ]);
      const method = methodNameOf({ group, version, plural }, 'patch');
      expect(types.some(({ pattern }) => new RegExp(`^${pattern}\\.patch$`).test(method))).toBe(
        true,
      );
    },
  );

  it('types of one name in two groups are both audited', () => {
    const knative = defineChildType({
      group: 'serving.knative.dev',
      version: 'v1',
      kind: 'Service',
      plural: 'services',
    });
    const { kinds: audited } = auditedTypes([{ ...garden, owns: [service, knative] }]);
    expect(Object.keys(audited.Garden?.children ?? {})).toEqual([
      'services',
      'services.serving.knative.dev',
    ]);
  });
});

interface Covered {
  readonly group: string;
  readonly resources: readonly string[];
}

describe('a child of each type', () => {
  it('is in this table', () => {
    expect(builtInTypes.length).toBeGreaterThan(20);
    const namespaced = builtInTypes.filter((type) => !isClusterScoped(type));
    expect(namespaced.filter((type) => !isCovered(type))).toEqual([]);
  });

  it('is created as it was planned, and then nothing is written', async () => {
    await compare({ engine, place, kinds, how: 'apply' });
    for (const { wanted } of cases)
      expect(await place.api.find(wanted.type, 'garden'), wanted.type.plural).toBeDefined();
    await run();
    await run();
    expect(await run()).toMatchObject({ failures: [], writes: [] });
  });

  it.each(rows)('%s: an edit by others is reverted', async (_, { wanted, edit, path }) => {
    const { type } = wanted;
    const fixed = await place.api.get(type, 'garden');
    await place.api.patch(type, 'garden', edit);
    const { failures } = await run();
    expect(failures).toEqual([]);
    const live = await place.api.get(type, 'garden');
    for (const field of ['spec', 'data', 'rules', 'subjects', 'endpoints'])
      expect(live[field], field).toEqual(fixed[field]);
    expect(live.metadata.labels).toEqual(fixed.metadata.labels);
    const events = await place.api.list({
      group: '',
      version: 'v1',
      kind: 'Event',
      plural: 'events',
    });
    expect(events.map(({ message }) => String(message))).toContainEqual(
      expect.stringContaining(`${type.kind} garden: ${path}`),
    );
    // A resource of ours that was changed back is reconciled itself before it is Ready again.
    await run();
    expect((await run()).writes).toEqual([]);
  });

  it('is deleted when it is no longer wanted', async () => {
    await place.api.patch(garden, 'garden', { spec: { isEmpty: true } });
    expect((await run()).failures).toEqual([]);
    for (const { wanted } of cases) {
      const left = await place.api.find(wanted.type, 'garden');
      expect(left?.metadata.deletionTimestamp ?? left, wanted.type.plural).toEqual(
        left === undefined ? undefined : expect.any(String),
      );
    }
  });
});
