import { beforeEach, describe, expect, test } from 'vitest';
import { child, configMap, cronJob, defineChildType, defineKind, Type } from '../../index.ts';
import { inspect } from '../../infra/actions/inspect.ts';
import { KubeError } from '../../shared/cluster/cluster-errors.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { groupResource, type TypeName } from '../../shared/kubernetes.ts';
import { previewRun } from '../../shared/preview/preview.ts';
import type { Area } from '../../shared/run/area.ts';
import { listErrorOf } from '../../shared/run/explain.ts';
import type { Run } from '../../shared/run/run.ts';
import { certificate, certificateDefinition } from '../child-types/custom-resources.ts';
import { openRecordedPreview, previewOptions } from './recorded-preview.ts';
import { useEngine, usePlace } from './use-engine.ts';

const common = { group: 'example.org', version: 'v1', spec: Type.Object({}), samples: [] };
const site = defineKind({
  ...common,
  kind: 'Site',
  plural: 'sites',
  owns: [certificate],
  children: ({ name }) => [
    child(certificate, { name, body: { spec: { secretName: name, dnsNames: [name] } } }),
  ],
});
const memo = defineKind({
  ...common,
  kind: 'Memo',
  plural: 'memos',
  owns: [configMap],
  children: ({ name }) => [child(configMap, { name, body: { data: { a: '1' } } })],
});
const past = defineKind({
  ...common,
  kind: 'Past',
  plural: 'pasts',
  owns: [configMap],
  formerly: [
    defineChildType({ ...certificate, plural: 'oldcertificates', kind: 'OldCertificate' }),
  ],
  children: () => [],
});
const absent = defineKind({
  ...common,
  kind: 'Missing',
  plural: 'missings',
  owns: [site],
  children: () => [],
});
const installed: readonly Kind[] = [site, memo, past];
const kinds = [...installed, absent];

const id = (kind: TypeName) => groupResource(kind);
const remedy =
  'certificates.certificates.example.org v1 is not served, but children of Site have this type: install a CRD that serves it';
const notServed = [
  { kind: id(certificate), error: remedy, ofChildren: true },
  {
    kind: 'oldcertificates.certificates.example.org',
    error:
      'oldcertificates.certificates.example.org v1 is not served, but former children of Past have this type: install a CRD that serves it, or remove the type from `formerly`',
    ofChildren: true,
  },
];
const incomplete = {
  kind: id(absent),
  error:
    'missings.example.org v1 is not served: install the CRD that `reconciler generate crds` prints, or omit the kind from KINDS',
};

test('the message about a built-in type that is not served suggests no CRD', () => {
  const cron = defineKind({
    ...common,
    kind: 'Nightly',
    plural: 'nightlies',
    owns: [cronJob],
    children: () => [],
  });
  const error = new KubeError('list', { code: 404, status: { reason: 'NotFound' } });
  expect(listErrorOf(cronJob, [cron, memo], error)).toBe(
    'cronjobs.batch v1 is not served, but children of Nightly have this type: use a version of Kubernetes that serves it',
  );
});

const engine = useEngine({ controllers: 'paused', install: installed });
const place = usePlace(engine, installed);
beforeEach(async () => {
  await place.api.create(site, 'a', {});
  await place.api.create(memo, 'b', {});
});

/** Runs as administrator, because permissions of the engine do not cover types that are not installed. */
async function unlimited<T>(act: (run: Run, area: Area) => Promise<T>): Promise<T> {
  const { begin, close } = openRecordedPreview(engine);
  try {
    return await act(begin(), { kinds, namespaces: [place.namespace], name: undefined });
  } finally {
    await close();
  }
}

describe('a type that is not served is named, and only writes that need it are omitted', () => {
  test('in a plan', async () => {
    const { preview } = await unlimited((run, area) =>
      previewRun(run, [{}], { ...previewOptions, area }),
    );
    expect(preview.incomplete).toEqual([incomplete]);
    expect(preview.resources).toMatchObject([
      { name: 'a', actions: [{ verb: 'block', reason: 'TypeNotServed', message: remedy }] },
      { name: 'b', actions: [{ verb: 'create' }] },
    ]);
  });

  test('in a status, which still shows its resources', async () => {
    const { failures, resources } = await unlimited((run, area) =>
      inspect(run, area, { concurrency: 4 }),
    );
    expect(failures).toEqual([incomplete.error]);
    expect(resources.map(({ resource }) => resource.name).toSorted()).toEqual(['a', 'b']);
  });

  test('in a run, until it is served', async () => {
    expect(await place.resync()).toMatchObject({ incomplete: [], notServed });
    expect(await place.api.get(configMap, 'b')).toMatchObject({ data: { a: '1' } });
    await engine.install([certificateDefinition]);
    expect((await place.resync()).notServed).toEqual(notServed.slice(1));
    expect(await place.api.get(certificate, 'a')).toMatchObject({ spec: { secretName: 'a' } });
  });
});
