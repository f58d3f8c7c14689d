import { verbs } from '../requests/request-info.ts';
import {
  assertFields,
  aText,
  OptionError,
  oneOf,
  optional,
  type Rule,
  wholeNumber,
} from './option-rules.ts';

const someEffect: Rule = ['an effect', (value) => value !== undefined];

const fault: Readonly<Record<string, Rule>> = {
  verb: optional(oneOf(...verbs)),
  resource: optional(aText),
  group: optional(aText),
  subresource: optional(aText),
  namespace: optional(aText),
  name: optional(aText),
  user: optional(aText),
  nth: optional(wholeNumber(1)),
  times: optional(wholeNumber(1)),
  effect: someEffect,
};

export const statusCodes = [404, 409, 410, 429, 500, 503, 504] as const;

const effects: Readonly<Record<string, Readonly<Record<string, Rule>>>> = {
  status: {
    kind: oneOf('status'),
    code: oneOf(...statusCodes),
    retryAfter: optional(wholeNumber(0)),
  },
  drop: { kind: oneOf('drop'), when: oneOf('before', 'after') },
  delay: { kind: oneOf('delay'), ms: wholeNumber(0, 2 ** 31 - 1) },
};

/** Throws an OptionError for a fault that could never match or take effect. */
export function assertFault(given: unknown): void {
  assertFields('fault', given, fault);
  const { effect } = given as { readonly effect: unknown };
  const { kind } = Object(effect) as { readonly kind?: unknown };
  const kinds = Object.keys(effects);
  const rules = kinds.includes(String(kind)) ? effects[String(kind)] : undefined;
  if (rules === undefined) {
    const is = typeof effect === 'object' ? `kind ${JSON.stringify(kind)}` : JSON.stringify(effect);
    throw new OptionError(`fault.effect: ${is} is unknown; known kinds: ${kinds.join(', ')}`);
  }
  assertFields('fault.effect', effect, rules);
}
