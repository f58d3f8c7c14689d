import { describe, expect, it } from 'vitest';
import { namedFields } from '../../testing/drift/named-fields.ts';
import { casesOf } from '../support/cases.ts';

interface Case {
  readonly reason: string;
  readonly changed: readonly string[];
  readonly differences: readonly string[];
  readonly want: readonly string[];
}

const item = 'spec.ports[port=80,protocol="TCP"]';

const cases: Record<string, Case> = {
  Each: {
    reason: 'each field has its own difference',
    changed: ['data.a', 'data.b'],
    differences: ['data.b', 'data.a', 'data.c'],
    want: ['data.a', 'data.b'],
  },
  Unnoticed: {
    reason: 'the field was restored only because of the others',
    changed: ['data.a', 'data.b'],
    differences: ['data.a'],
    want: ['data.a'],
  },
  Item: {
    reason: 'the whole item differs if its key does',
    changed: [`${item}.port`],
    differences: [item],
    want: [`${item}.port`],
  },
  Shared: {
    reason: 'two fields with one difference are not named, because either may have been missed',
    changed: ['spec.args[0]', 'spec.args[1]', 'data.a'],
    differences: ['spec.args', 'data.a'],
    want: ['data.a'],
  },
  Nearest: {
    reason: 'the nearest difference names a field',
    changed: [`${item}.name`, `${item}.port`],
    differences: [item, `${item}.name`],
    want: [`${item}.name`, `${item}.port`],
  },
  Beginning: {
    reason: 'a path that merely begins with the same name is another field',
    changed: ['data.ab'],
    differences: ['data.a'],
    want: [],
  },
  Cleared: {
    reason: 'a plan to reset cleared managedFields names no field',
    changed: ['data.a', 'data.b'],
    differences: ['metadata.managedFields'],
    want: [],
  },
};

describe('the fields that a plan names', () => {
  it.each(casesOf(cases))('%s', (_, { changed, differences, want }) => {
    expect([...namedFields(changed, differences)]).toEqual(want);
  });
});
