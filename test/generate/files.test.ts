import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import {
  generatedFiles,
  placeholderUser as placeholderFor,
  sampleManifests,
  yaml,
} from '../../infra/generate/files.ts';
import { kinds } from '../support/config.ts';
import { identity } from '../support/observe.ts';

const placeholderUser = placeholderFor(identity.name);
const infra = join(import.meta.dirname, '..', '..', 'infra');
const files = generatedFiles(kinds, identity.name);
const documents = (path: string): unknown[] =>
  parseAllDocuments(files.get(path) ?? '').map((document) => document.toJS());

describe('generated YAML', () => {
  it('has the same meaning for kubectl, which reads YAML 1.1', () => {
    const words = ['y', 'n', 'on', 'off', 'yes', 'No', '1_000', '0o17', '1:30', '~'];
    const value = { words, keys: Object.fromEntries(words.map((word) => [word, word])) };
    expect(parse(yaml(value), { version: '1.1' })).toEqual(value);
    expect(parse(yaml(value))).toEqual(value);
  });
});

describe('the generated files', () => {
  it.each([...files])('are up to date on disk: %s', (path, text) => {
    expect(readFileSync(join(infra, path), 'utf8'), 'run npm run generate').toBe(text);
  });

  it.each(['crds', 'rbac', 'samples'])('are the only files in %s', (directory) => {
    const onDisk = readdirSync(join(infra, directory)).map((name) => `${directory}/${name}`);
    const generated = [...files.keys()].filter((path) => path.startsWith(`${directory}/`));
    expect(onDisk.toSorted()).toEqual(generated.toSorted());
  });

  it('are all installed, except the samples', () => {
    const [kustomization] = documents('kustomization.yaml');
    expect(kustomization).toEqual({
      apiVersion: 'kustomize.config.k8s.io/v1beta1',
      kind: 'Kustomization',
      resources: [...files.keys()]
        .filter((path) => path.startsWith('crds/') || path.startsWith('rbac/'))
        .toSorted(),
    });
  });

  it.each(kinds.map((kind) => [kind.kind, kind] as const))(
    'include samples of %s',
    (name, kind) => {
      const samples = documents(`samples/${name.toLowerCase()}.yaml`);
      expect(samples).toEqual(sampleManifests(kind));
      expect(samples.length).toBeGreaterThan(0);
    },
  );

  it('bind a placeholder that cannot be the name of a real user', () => {
    expect(documents('rbac/cluster-role-binding.yaml')).toEqual([
      expect.objectContaining({
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: placeholderUser }],
      }),
    ]);
    expect(placeholderUser).toContain('PROJECT');
  });
});
