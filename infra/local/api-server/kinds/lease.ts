import { DecodeError } from '../errors/decode-error.ts';
import type { FieldError } from '../errors/field-error.ts';
import { invalid } from '../errors/field-error.ts';
import { type JsonObject, numberAt, objectAt, textAt } from '../json/value.ts';
import { negative } from '../objects/field-rules.ts';
import { dnsSubdomain } from '../objects/names.ts';
import { ageCell, cell, printer } from '../printing/printer.ts';
import type { Strategy } from '../resources/strategy.ts';
import type { KindEntry } from './kind.ts';

/** A PUT needs no version, because a Lease has a lock of its own, and creates a missing Lease. */
const lease: Strategy = {
  nameRule: dnsSubdomain,
  allowUnconditionalUpdate: false,
  allowCreateOnUpdate: true,
  defaults: ({ spec }) => {
    for (const field of ['acquireTime', 'renewTime']) {
      assertMicroTime(textAt(objectAt({ spec }, 'spec'), field));
    }
  },
  validate: ({ spec }) => leaseErrors(objectAt({ spec }, 'spec')),
};

function leaseErrors(spec: JsonObject): FieldError[] {
  const seconds = numberAt(spec, 'leaseDurationSeconds') ?? 1;
  return [
    ...(seconds > 0
      ? []
      : [invalid('spec.leaseDurationSeconds', seconds, 'must be greater than 0')]),
    ...negative(spec, 'spec', ['leaseTransitions']),
  ];
}

const microTimeLayout = '2006-01-02T15:04:05.000000Z07:00';

/** Requires times to the microsecond, with all six digits. */
function assertMicroTime(text: string): void {
  const [, rest = ''] = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(.*)$/.exec(text) ?? [];
  if (text === '' || /^\.\d{6}(Z|[+-]\d\d:\d\d)$/.test(rest)) return;
  const quoted = [text, microTimeLayout, rest].map((one) => JSON.stringify(one));
  throw new DecodeError(
    `parsing time ${quoted[0]} as ${quoted[1]}: cannot parse ${quoted[2]} as ".000000"`,
  );
}

const leasePrinter = printer([
  cell('Holder', (object) => textAt(objectAt(object, 'spec'), 'holderIdentity')),
  ageCell,
]);

export const leaseKind: KindEntry = {
  group: 'coordination.k8s.io',
  kind: 'Lease',
  strategy: lease,
  printer: leasePrinter,
};
