import type { FieldError } from '../errors/errors.ts';
import { DecodeError } from '../objects/decode-error.ts';
import { dnsSubdomain } from '../objects/names.ts';
import { type JsonMap, mapAt, numberAt, textAt } from '../objects/object.ts';
import { invalid } from '../schema/field-error.ts';
import { negative } from './bounds.ts';
import type { Strategy } from './strategy.ts';

/** Leases carry their own lock, and PUT creates what is missing. */
export const lease: Strategy = {
  nameRule: dnsSubdomain,
  unconditionalUpdate: false,
  createOnUpdate: true,
  defaults: ({ spec }) => {
    for (const field of ['acquireTime', 'renewTime']) {
      assertMicroTime(textAt(mapAt({ spec }, 'spec'), field));
    }
  },
  validate: ({ spec }) => leaseErrors(mapAt({ spec }, 'spec')),
};

const leaseErrors = (spec: JsonMap): FieldError[] => {
  const seconds = numberAt(spec, 'leaseDurationSeconds') ?? 1;
  return [
    ...(seconds > 0
      ? []
      : [invalid('spec.leaseDurationSeconds', seconds, 'must be greater than 0')]),
    ...negative(spec, 'spec', ['leaseTransitions']),
  ];
};

const LAYOUT = '2006-01-02T15:04:05.000000Z07:00';

/** The times of a lease are told to the microsecond, with all six digits. */
const assertMicroTime = (text: string): void => {
  const [, rest = ''] = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(.*)$/.exec(text) ?? [];
  if (text === '' || /^\.\d{6}(Z|[+-]\d\d:\d\d)$/.test(rest)) return;
  const quoted = [text, LAYOUT, rest].map((one) => JSON.stringify(one));
  throw new DecodeError(
    `parsing time ${quoted[0]} as ${quoted[1]}: cannot parse ${quoted[2]} as ".000000"`,
  );
};
