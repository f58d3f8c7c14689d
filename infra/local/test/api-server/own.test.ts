import { describe, expect, test } from 'vitest';
import { own, put } from '../../api-server/json/own.ts';
import { applyJsonPatch } from '../../api-server/patches/json-patch.ts';
import { applyMergePatch } from '../../api-server/patches/merge-patch.ts';

const inherited = Object.getOwnPropertyNames(Object.prototype);

describe('a key that every object inherits', () => {
  test.each(inherited)('%s is read only where it was put', (key) => {
    const map: Record<string, unknown> = {};
    expect(own(map, key)).toBeUndefined();
    put(map, key, 'x');
    expect(own(map, key)).toBe('x');
    expect(JSON.stringify(map)).toBe(`{"${key}":"x"}`);
  });

  test.each(inherited)(
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
