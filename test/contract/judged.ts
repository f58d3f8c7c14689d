import type { Before, Expectation, Step } from './contract-case.ts';
import { type InvalidField, invalid } from './errors.ts';
import { post } from './requests.ts';

/** An object, and every field that makes it illegal. */
export interface Judged {
  readonly given: { readonly metadata: { readonly name?: string } };
  readonly want: readonly InvalidField[] | 'accepted';
  readonly before?: Pick<Before, 'minor' | 'reason'> & Pick<Judged, 'want'>;
}

/** Creates each object without storing it; `kind` is `Kind.group`, or `Kind` in the core group. */
export function judged(path: string, kind: string, rows: readonly Judged[]): readonly Step[] {
  return rows.map(({ given, want, before }) => {
    const expectationOf = (wanted: Judged['want']): Expectation =>
      wanted === 'accepted'
        ? { status: 201 }
        : { status: 422, error: invalid(kind, given.metadata.name ?? '', wanted) };
    return {
      request: post(path, given, { dryRun: 'All' }),
      expect: expectationOf(want),
      ...(before === undefined
        ? {}
        : { before: { ...before, expect: expectationOf(before.want) } }),
    };
  });
}
