import type { Since, Step } from './contract-case.ts';
import { type InvalidField, invalid } from './errors.ts';
import { post } from './requests.ts';

/** An object and all its invalid fields. */
export interface Judged {
  readonly given: { readonly metadata: { readonly name?: string } };
  readonly want: readonly InvalidField[] | 'accepted';
  readonly since?: Since;
}

/** Creates each object by a dry run; `kind` is `Kind.group`, or `Kind` in the core group. */
export const judged = (path: string, kind: string, rows: readonly Judged[]): readonly Step[] =>
  rows.map(({ given, want, ...since }) => ({
    ...since,
    request: post(path, given, { dryRun: 'All' }),
    expect:
      want === 'accepted'
        ? { status: 201 }
        : { status: 422, error: invalid(kind, given.metadata.name ?? '', want) },
  }));
