import { expect, it } from 'vitest';
import { parseModule } from '../../infra/generate/declarations.ts';

const text = `/** What it is for. */
import { type Json, a as b } from '../json.ts';
export { type Static, Type } from 'typebox';
export type { Json };
/**
 * Adds.
 *
 * Guarantees: no overflow.
 */
export declare function add(a: number): number;
export declare function add(a: string): string;
/** Not exported. */
interface Options {
    /** A field. */
    readonly field: string;
}
export type State = {
    readonly on: true;
} | {
    readonly on: false;
};
export type Step =
/** The first. */
{
    readonly begin: true;
}
/** The last. */
 | {
    readonly end: true;
};
export type * as api from './api.ts';
export {};
`;
const { head, own, imported, exported } = parseModule('shared/one.ts', text);

it('the API reference has the head of a module and its exports, in order', () => {
  expect(head).toBe('What it is for.');
  expect(exported).toEqual(['Static', 'Type', 'Json', 'add', 'State', 'Step', 'api']);
});

it('the API reference has the module and the original name of each import', () => {
  expect([...imported]).toEqual([
    ['Json', ['Json', '../json.ts']],
    ['b', ['a', '../json.ts']],
    ['Static', ['Static', 'typebox']],
    ['Type', ['Type', 'typebox']],
  ]);
});

it('the API reference keeps overloads together, under the first docstring', () => {
  expect(own.get('add')).toMatchObject({
    doc: 'Adds.\n\nGuarantees: no overflow.',
    text: 'export declare function add(a: number): number;\nexport declare function add(a: string): string;',
  });
});

it('the API reference keeps a declaration whole that continues in the first column, without the docstring of another', () => {
  expect(own.get('State')?.text).toMatch(/^export type State = [{].*false;\n[}];$/s);
  expect(own.get('State')?.doc).toBe('');
  expect(own.get('Options')).toMatchObject({ doc: 'Not exported.', module: 'shared/one.ts' });
});

it('the API reference keeps a union whole whose members have docstrings', () => {
  expect(own.get('Step')?.text).toMatch(/The first\..*begin.*The last\..*end: true;\n[}];$/s);
});
