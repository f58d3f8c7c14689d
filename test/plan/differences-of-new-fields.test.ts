import { describe, expect, it } from 'vitest';
import { newFields } from '../../shared/plan/drift/differences.ts';

describe('newFields', () => {
  it('lists every leaf, and names list items by name or index', () => {
    const container = { name: 'a', ports: [{ containerPort: 80 }], args: [], env: {} };
    const given = { spec: { replicas: 0, template: { spec: { containers: [container] } } } };
    const found = newFields('Deployment', given);
    expect(found.map(({ path, to }) => [path, to])).toEqual([
      ['spec.replicas', 0],
      ['spec.template.spec.containers[name="a"].name', 'a'],
      ['spec.template.spec.containers[name="a"].ports[0].containerPort', 80],
      ['spec.template.spec.containers[name="a"].args', []],
      ['spec.template.spec.containers[name="a"].env', {}],
    ]);
  });

  it('D-3 shows only that values of a Secret change', () => {
    const given = { data: { user: 'dQ==' }, metadata: { labels: { a: 'b' } } };
    const found = newFields('Secret', given, ['password']);
    expect(found.map(({ path, to }) => [path, to])).toEqual([
      ['data.user', '(secret changed)'],
      ['metadata.labels.a', 'b'],
      ['data.password', '(secret changed)'],
    ]);
  });
});
