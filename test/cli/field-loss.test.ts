import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TProperties, Type } from 'typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eachResource, lostValues } from '../../infra/cli/base/field-loss.ts';
import { customResourceDefinition } from '../../infra/generate/crd.ts';
import { defineKind } from '../../shared/kinds/define-kind.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { team } from '../support/team.ts';
import { type CliGround, openCliGround, runAlone } from './command-runner.ts';
import { definitions } from './doctor-installation.ts';

const boxOf = (spec: TProperties): Kind =>
  defineKind({
    group: 'example.com',
    version: 'v1',
    kind: 'Box',
    plural: 'boxes',
    spec: Type.Object(spec),
    samples: [{ name: 'box-sample', spec: {} }],
    owns: [],
    children: () => [],
  });

const toV2 = { version: 'v2', versions: [{ name: 'v1', served: true }] };
const before = boxOf({ replicas: Type.Integer({ default: 1, maximum: 9 }) });
const renamed = boxOf({ servers: Type.Integer({ default: 1 }) });
const narrowed = boxOf({ replicas: Type.Integer({ default: 1, maximum: 2 }) });
const file = 'crds/boxes.example.com.yaml';

describe('generate crds', () => {
  let home: string;
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'field-loss-'));
  });
  afterAll(() => rm(home, { recursive: true }));

  const generate = (what: string, kind: Kind, ...more: readonly string[]) =>
    runAlone(['generate', what, '--out', home, ...more], { home, kinds: [kind] });
  const written = () => readFile(join(home, file), 'utf8');

  it.each(['crds', 'kustomization'])(
    '%s refuses a CRD that drops a field of the former one',
    async (what) => {
      const user = what === 'crds' ? [] : ['--user', 'me'];
      const first = await generate(what, before, ...user, '--allow-field-loss');
      expect(first).toMatchObject({ code: 0 });
      const text = await written();
      const refused = await generate(what, renamed, ...user);
      expect(refused).toMatchObject({ code: 1, out: '' });
      expect(refused.err).toContain(`${join(home, file)}: spec.replicas is dropped\n`);
      expect(refused.err).toMatch(/docs\/upgrading\.md.*--allow-field-loss/);
      expect(await written()).toBe(text);
      expect(await generate(what, renamed, ...user, '--allow-field-loss')).toMatchObject({
        code: 0,
      });
      expect(await written()).not.toBe(text);
    },
  );

  it('refuses a CRD that lacks the version in which the former one stores resources', async () => {
    expect(await generate('crds', before, '--allow-field-loss')).toMatchObject({ code: 0 });
    const refused = await generate('crds', { ...before, version: 'v2' });
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toContain(
      `${join(home, file)}: version v1 is dropped: keep the former version in \`versions\``,
    );
    expect(await generate('crds', { ...before, ...toV2 })).toMatchObject({ code: 0 });
  });

  it('accepts an additional field', async () => {
    expect(await generate('crds', before, '--allow-field-loss')).toMatchObject({ code: 0 });
    const more = boxOf({
      replicas: Type.Integer({ default: 1 }),
      servers: Type.Integer({ default: 1 }),
    });
    expect(await generate('crds', more)).toMatchObject({ code: 0 });
  });
});

it('a CRD that drops a field counts as a loss if there are too many resources to read', async () => {
  const items = Array.from({ length: 50 }, (_, at) => ({ metadata: { name: `${at}` }, spec: {} }));
  let pages = 0;
  const lostIn = (ofFirst: number) => {
    const probe = async ({ path }: { readonly path: string }) => {
      const isLast = path.includes('/namespaces/b/') || ++pages >= ofFirst;
      return {
        code: 200,
        value: { items, metadata: isLast ? {} : { continue: 'c' } },
        message: '',
        date: undefined,
      };
    };
    pages = 0;
    const definition = customResourceDefinition(before);
    return lostValues(probe, renamed, { definition, namespaces: ['a', 'b'] });
  };
  for (const ofFirst of [1, 200]) expect(await lostIn(ofFirst)).toEqual([]);
  const unread =
    /^spec.replicas is dropped \(resources could not be listed: there are more than 10,000\)$/;
  expect(await lostIn(201)).toEqual([expect.stringMatching(unread)]);
});

it('a CRD that drops a version counts as a loss for resources whose managedFields name the version', async () => {
  const next: Kind = { ...before, version: 'v2', versions: [] };
  const definition = customResourceDefinition({ ...before, ...toV2 });
  const lostIn = (metadata: JsonObject) => {
    const value = { items: [{ metadata }] };
    const probe = async () => ({ code: 200, value, message: '', date: undefined });
    return lostValues(probe, next, { definition, namespaces: undefined });
  };
  expect(await lostIn({ name: 'x', managedFields: [{ apiVersion: 'example.com/v1' }] })).toEqual([
    expect.stringMatching(
      /^version v1 is dropped, but resources name it in managedFields.* \(x\)$/,
    ),
  ]);
  expect(await lostIn({ name: 'x', managedFields: [{ apiVersion: 'example.com/v2' }] })).toEqual(
    [],
  );
});

describe('a CRD that drops a field, on a cluster', () => {
  let ground: CliGround;
  beforeAll(async () => {
    ground = await openCliGround({ kinds: [before] });
    for (let at = 0; at < 7; at++)
      await ground.api.create(before, `box-${at}`, { spec: { replicas: at } });
  });
  afterAll(() => ground.stop());

  const run = (command: string, kind: Kind, ...more: readonly string[]) =>
    ground.run([command, ...more], { kinds: [kind] });
  const lost =
    'spec.replicas is dropped (default/box-0, default/box-1, default/box-2, default/box-3, default/box-4 and 2 more)';

  it('makes plan and doctor fail, and name the resources that have values of the field', async () => {
    const plan = await run('plan', renamed);
    expect(plan.code).toBe(1);
    expect(plan.err).toContain(`boxes.example.com: its new CRD would drop`);
    expect(plan.err).toContain(lost);
    const doctor = await run('doctor', renamed, '-o', 'json');
    expect(doctor.code).toBe(1);
    expect(JSON.parse(doctor.out).checks).toContainEqual({
      name: 'CRD of Box',
      state: 'fail',
      message: expect.stringContaining(lost),
      remedy: expect.stringMatching(/doctor .*--allow-field-loss/),
    });
  });

  it('is reported together with a version that is not served', async () => {
    const { out } = await run('doctor', { ...renamed, ...toV2 }, '-o', 'json');
    expect(JSON.parse(out).checks).toContainEqual({
      name: 'CRD of Box',
      state: 'fail',
      message: expect.stringMatching(/^boxes.example.com does not serve v2; but .*is dropped/),
      remedy: expect.stringMatching(/doctor .*--allow-field-loss/),
    });
    const accepted = await run(
      'doctor',
      { ...renamed, ...toV2 },
      '--allow-field-loss',
      '-o',
      'json',
    );
    expect(JSON.parse(accepted.out).checks).toContainEqual({
      name: 'CRD of Box',
      state: 'fail',
      message: expect.stringContaining('is dropped'),
      remedy: expect.stringMatching(/^KINDS=Box .*generate crds/),
    });
  });

  it('is not offered as a remedy if it lacks a version in which resources are stored', async () => {
    const { out } = await run('doctor', { ...before, version: 'v2' }, '-o', 'json');
    expect(JSON.parse(out).checks).toContainEqual({
      name: 'CRD of Box',
      state: 'fail',
      message:
        'boxes.example.com: resources may be stored as v1 (status.storedVersions); the API server would refuse the generated CRD, which does not define v1',
      remedy: expect.stringMatching(/doctor .*# .*docs\/upgrading\.md/),
    });
  });

  it('is reported like a field with a narrower schema, which names the resources that it refuses', async () => {
    const { code, err, out } = await run('plan', narrowed, '-o', 'json');
    expect(code).toBe(1);
    const text =
      'spec.replicas: maximum 9 → 2 (default/box-3, default/box-4, default/box-5, default/box-6)';
    expect(err).toContain(text);
    expect(JSON.parse(out)).toMatchObject({ losses: [{ kind: 'boxes.example.com', text }] });
  });

  it('is accepted with an option', async () => {
    expect(await run('plan', renamed, '--allow-field-loss')).toMatchObject({ code: 0 });
    const doctor = await run('doctor', renamed, '--allow-field-loss', '-o', 'json');
    expect(JSON.parse(doctor.out).checks).toContainEqual({
      name: 'CRD of Box',
      state: 'warn',
      message: expect.stringContaining(lost),
    });
  });

  it('is not reported if no resource has a value of the field', async () => {
    expect(await run('plan', before)).toMatchObject({
      code: 0,
      err: expect.not.stringMatching(/CRD/),
    });
    const bound = boxOf({ replicas: Type.Integer({ default: 1, maximum: 6 }) });
    expect(await run('plan', bound)).toMatchObject({ code: 0 });
  });

  it('is checked with every page of resources, and only in NAMESPACES if set', async () => {
    for (let at = 0; at < 101; at++)
      await ground.api.create(before, `also-${at}`, { spec: { replicas: 1 } });
    expect((await run('plan', narrowed)).err).toContain('default/box-3');
    const env = { NAMESPACES: 'kube-system' };
    expect(await ground.run(['plan'], { kinds: [narrowed], env })).toMatchObject({ code: 0 });
  });

  it('is compared with an installed CRD of any form', async () => {
    const { spec } = customResourceDefinition(renamed) as never as { spec: { versions: object[] } };
    Object.assign(spec.versions[0]!, {
      schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
    });
    await ground.admin.patch(definitions, 'boxes.example.com', { spec } as never);
    const { code, err } = await run('plan', renamed);
    expect(code).toBe(1);
    expect(err).toContain('spec.* is dropped');
  });
});

it('resources of a cluster-scoped kind are listed once, whatever NAMESPACES has', async () => {
  const paths: string[] = [];
  const probe = async ({ path }: { readonly path: string }) => {
    paths.push(path);
    return { code: 200, value: { items: [] }, message: '', date: undefined };
  };
  await eachResource(probe, { type: team, namespaces: ['a', 'b'] }, () => {});
  expect(paths).toEqual(['/apis/example.org/v1/teams?limit=50&continue=']);
});
