import { since135 } from '../changes.ts';
import type { ContractCase, Step } from '../contract-case.ts';
import { invalid } from '../errors.ts';
import { paths } from '../objects.ts';
import { post } from '../requests.ts';
import { crd, refused, toy, toys, toysWith } from '../toys.ts';

const field = 'spec.validation.openAPIV3Schema.properties[spec].properties[text].pattern';

const noPattern = (pattern: string, why: string): Step =>
  refused(
    { type: 'object', properties: { text: { type: 'string', pattern } } },
    invalid(crd, toys.name, [
      [
        field,
        `Invalid value: ${JSON.stringify(pattern)}: must be a valid regular expression, but isn't: error parsing regexp: ${why}`,
      ],
    ]),
  );

const slow = '^(a+)+$';
const long = `${'a'.repeat(60)}!`;

export const cases: readonly ContractCase[] = [
  {
    id: 'language',
    reason: "patterns are in Go's language, which has no look-around and no back references",
    steps: [
      noPattern('(', 'missing closing ): `(`'),
      noPattern('^(?=a)', 'invalid or unsupported Perl syntax: `(?=`'),
      noPattern('(a)\\1', 'invalid escape sequence: `\\1`'),
      noPattern('a\\Z', 'invalid escape sequence: `\\Z`'),
      noPattern('a{1001}', 'invalid repeat count: `{1001}`'),
      noPattern('a**', 'invalid nested repetition operator: `**`'),
      noPattern('[z-a]', 'invalid character class range: `z-a`'),
    ],
  },
  {
    id: 'linear',
    reason: 'no pattern and no text take long',
    steps: [
      {
        request: post(
          paths.definitions,
          toysWith({
            type: 'object',
            properties: {
              slow: { type: 'string', pattern: slow },
              go: { type: 'string', pattern: '^(?i)[[:alpha:]]+\\pN(?P<last>.)\\z' },
              ruled: {
                type: 'string',
                maxLength: 100,
                'x-kubernetes-validations': [
                  { rule: `self.matches('${slow}')`, message: 'only the letter a' },
                ],
              },
              span: { type: 'string', format: 'duration' },
            },
          }),
        ),
        expect: { status: 201 },
      },
      {
        request: post(toys.objects, toy('x', { slow: 'aaa', go: 'Ab1😀', ruled: 'aa' })),
        eventually: true,
        expect: { status: 201 },
      },
      ...(
        [
          ['slow', `Invalid value: "${long}": spec.slow in body should match '${slow}'`],
          ['ruled', `Invalid value: "${long}": only the letter a`, since135.ruleValues],
        ] as const
      ).map(
        ([name, message, since]): Step => ({
          ...(since === undefined ? {} : { since }),
          request: post(toys.objects, toy('y', { [name]: long })),
          expect: {
            status: 422,
            body: { details: { causes: [{ field: `spec.${name}`, message }] } },
          },
        }),
      ),
      {
        request: post(toys.objects, toy('y', { span: '1'.repeat(100_000) })),
        expect: { status: 422, body: { reason: 'Invalid' } },
      },
    ],
  },
];
