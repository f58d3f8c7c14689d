import { describe, expect, test } from 'vitest';
import { own, put } from '../../../infra/local/api-server/objects/own.ts';
import { applyJsonPatch } from '../../../infra/local/api-server/patches/json-patch.ts';
import { applyMergePatch } from '../../../infra/local/api-server/patches/merge-patch.ts';

const INHERITED = Object.getOwnPropertyNames(Object.prototype);

describe('a key that every object inherits', () => {
  test.each(INHERITED)('%s is read only where it was put', (key) => {
    const map: Record<string, unknown> = {};
    expect(own(map, key)).toBeUndefined();
    put(map, key, 'x');
    expect(own(map, key)).toBe('x');
    expect(JSON.stringify(map)).toBe(`{"${key}":"x"}`);
  });

  test.each(INHERITED)(
    '%s passes through patches, and none of them reaches behind the object',
    (key) => {
      const before = Reflect.ownKeys(Object.prototype).length;
      const merged = applyMergePatch({}, JSON.parse(`{"${key}":{"polluted":"1"}}`));
      expect(JSON.stringify(merged)).toBe(`{"${key}":{"polluted":"1"}}`);
      const added = applyJsonPatch({}, [{ op: 'add', path: `/${key}`, value: '1' }]);
      expect(JSON.stringify(added)).toBe(`{"${key}":"1"}`);
      const beneath = [{ op: 'add', path: `/${key}/polluted`, value: '1' }];
      expect(() => applyJsonPatch({}, beneath)).toThrow();
      expect(Reflect.ownKeys(Object.prototype)).toHaveLength(before);
      expect('polluted' in {}).toBe(false);
    },
  );
});
