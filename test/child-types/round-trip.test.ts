import { beforeAll, describe, expect, it, vi } from 'vitest';
import { auditPolicy } from '../../infra/generate/audit/audit-policy.ts';
import { auditedTypes } from '../../infra/generate/audit/audited-types.ts';
import { methodNameOf } from '../../infra/generate/audit/log-names.ts';
import { customResourceDefinition } from '../../infra/generate/crd.ts';
import { applyTo } from '../../infra/generate/install.ts';
import { rulesFor } from '../../infra/generate/rbac.ts';
import { service } from '../../shared/kinds/child-types/core.ts';
import { defineChildType } from '../../shared/kinds/define-child-type.ts';
import type { Json, JsonObject } from '../../shared/kubernetes.ts';
import { RefusedError } from '../../testing/user.ts';
import { engineUser, isWriteRequest, type Place } from '../reconcile/engine.ts';
import { compare } from '../reconcile/preview-comparison.ts';
import { useEngine } from '../reconcile/use-engine.ts';
import type { Api, Live } from '../scenarios/api.ts';
import type { Subject } from './cases.ts';
import { certificateDefinition, note } from './custom-resources.ts';
import { garden, park, subjectsOfGarden, subjectsOfPark } from './owners.ts';

vi.setConfig({ testTimeout: 60_000 });

const kinds = [garden, note, park];
const engine = useEngine({ controllers: 'paused', install: kinds });
let place: Place;
beforeAll(async () => {
  const { plural, group } = certificateDefinition;
  await applyTo(engine.cluster.url)(
    `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${plural}.${group}`,
    customResourceDefinition(certificateDefinition),
  );
  place = await engine.place([garden, note]);
});

/** The kinds that own the children, with the API and the run that reach their resources. */
const owners = [
  { kind: garden, subjects: subjectsOfGarden, api: () => place.api, resync: () => place.resync() },
  {
    kind: park,
    subjects: subjectsOfPark,
    api: () => engine.admin,
    resync: () => engine.run({}, { kinds: [park] }),
  },
];

describe.each(owners)('a $kind.kind and its children', ({ kind, subjects, api, resync }) => {
  const rows = subjects.map((one) => [one.type.kind, one] as const);

  /** Does a run, and returns the writes and the report. */
  async function run() {
    engine.cluster.requests.reset();
    const { failures, outcomes } = await resync();
    const own = engine.cluster.requests.list().filter(({ user }) => user === engineUser);
    const writes = own
      .filter(isWriteRequest)
      .map(({ verb, resource, subresource }) => [verb, resource, subresource].join(' ').trim());
    return { failures, outcomes, writes };
  }

  it.each(rows)(
    '%s: is covered by the generated permissions, audit policy and sink',
    (_, { type }) => {
      expectCovered(type);
    },
  );

  it('are created as planned, after which nothing is written', async () => {
    await api().create(kind, 'garden', { spec: {} });
    if (kind === garden) await compare({ engine, place, kinds: [garden, note], how: 'apply' });
    else expect((await run()).outcomes).toMatchObject({ created: subjects.length });
    for (const { type } of subjects)
      expect(await api().find(type, 'garden'), type.plural).toBeDefined();
    await run();
    await run();
    expect(await run()).toMatchObject({ failures: [], writes: [] });
  });

  it.each(rows)('%s: the server refuses other values of its immutable fields', (_, subject) =>
    expectImmutable(api(), subject),
  );

  it.each(rows)('%s: an edit by others is reverted', async (_, { type, edit }) => {
    const before = contentOf(await api().get(type, 'garden'));
    await api().patch(type, 'garden', edit.patch);
    const { failures, writes } = await run();
    expect(failures).toEqual([]);
    expect(writes.filter((one) => one === `patch ${type.plural}`)).toHaveLength(1);
    expect(contentOf(await api().get(type, 'garden'))).toEqual(before);
    expect(await messages(api())).toContainEqual(
      expect.stringContaining(`${type.kind} garden: ${edit.path}`),
    );
    // A child that is a custom resource is reconciled itself before it is Ready again.
    await run();
    expect((await run()).writes).toEqual([]);
  });

  it('are deleted when they are no longer desired, except retained ones', async () => {
    await api().patch(kind, 'garden', { spec: { isEmpty: true } });
    const kept = subjects.filter(({ type }) => type.retained);
    expect((await run()).failures.map(({ reason }) => reason)).toEqual(kept.map(() => 'Retained'));
    for (const { type } of subjects) {
      const left = await api().find(type, 'garden');
      const isLeft = left !== undefined && left.metadata.deletionTimestamp === undefined;
      expect(isLeft, type.kind).toBe(type.retained === true);
    }
  });
});

/** Picks the fields that an edit changes and a run restores. */
const contentOf = ({ metadata: { labels }, status: _, ...content }: Live) => ({
  ...content,
  labels,
});

const messages = async (api: Api): Promise<readonly string[]> => {
  const events = { group: '', version: 'v1', kind: 'Event', plural: 'events' };
  return (await api.list(events)).map(({ message }) => String(message));
};

function expectCovered({ group, version, plural, retained }: Subject['type']): void {
  const verbs = ['get', 'list', 'create', 'patch', ...(retained ? [] : ['delete'])];
  const granted = rulesFor(kinds)
    .filter((one) => one.apiGroups.includes(group))
    .filter((one) => verbs.every((verb) => one.verbs.includes(verb)));
  expect(granted.flatMap(({ resources }) => resources)).toContain(plural);
  const [covered] = auditPolicy(kinds).rules as readonly [{ resources: readonly Covered[] }];
  expect(covered.resources.find((one) => one.group === group)?.resources).toContain(plural);
  const types = Object.values(auditedTypes(kinds).kinds).flatMap(({ resource, children }) => [
    resource,
    ...Object.values(children),
  ]);
  const method = methodNameOf({ group, version, plural }, 'patch');
  expect(types.some(({ pattern }) => new RegExp(`^${pattern}\\.patch$`).test(method))).toBe(true);
}

interface Covered {
  readonly group: string;
  readonly resources: readonly string[];
}

/** Expects the server to refuse another value of each immutable field. */
async function expectImmutable(api: Api, subject: Subject): Promise<void> {
  const { type, fixed = {}, isRefusedHere = true } = subject;
  for (const [path, value] of Object.entries(isRefusedHere ? fixed : {}))
    expect(await reasonOf(api.patch(type, 'garden', patchOf(path, value))), path).toBe('Invalid');
}

const reasonOf = (attempt: Promise<unknown>): Promise<string | undefined> =>
  attempt.then(
    () => 'accepted',
    (error) => (error instanceof RefusedError ? error.status.reason : String(error)),
  );

const patchOf = (path: string, value: Json): JsonObject =>
  path.split('.').reduceRight<Json>((inner, name) => ({ [name]: inner }), value) as JsonObject;

it('two types with the same name in different groups are both audited', () => {
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
