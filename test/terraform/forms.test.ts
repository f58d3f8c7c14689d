import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  forms,
  hostName,
  longestDeadline,
  passedThrough,
} from '../../infra/generate/terraform-variables.ts';
import { ConfigError } from '../../shared/environment.ts';
import { effort } from '../properties/runs.ts';
import { config, parseConfig } from '../support/config.ts';
import { readConfiguration, terraformDirectory } from './configuration.ts';

const { locals, variable } = await readConfiguration(
  join(terraformDirectory, 'modules', 'settings'),
);

/** Replaces the locals in a Terraform string by their values. */
const resolved = (text: string): string =>
  text.replaceAll(/\$\{local\.(\w+)\}/g, (_, name: string) => resolved(String(locals[name])));

/** Returns the patterns in the validations of a variable. */
const patternsOf = (name: string): readonly string[] =>
  (variable[name] ?? []).flatMap(({ validation }) =>
    [...JSON.stringify(validation).matchAll(/can\(regex\(\\"(.*?)\\"/g)].map(([, text = '']) =>
      resolved(JSON.parse(`"${text}"`)),
    ),
  );

const environmentForms = Object.entries(
  locals.environment_forms as Record<string, { readonly form: string }>,
);
const formOf = (name: string): RegExp =>
  new RegExp(resolved(environmentForms.find(([key]) => key === name)?.[1].form ?? '(?!)'));

const isTaken = (name: string, value: string): boolean => {
  try {
    parseConfig({ CLUSTER_CONTEXT: 'a', [name]: value });
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return false;
  }
};

/** Valid values, which the search modifies. */
const good: Readonly<Record<string, readonly string[]>> = {
  AUTH_URL: ['https://auth.example.com:8443/check', 'http://10.0.0.1/', 'HTTPS://a.b/c%20d'],
  CONCURRENCY: ['1', '8', '64'],
  DRY_RUN: ['true', 'False'],
  INGRESS_CLASS: ['nginx', 'nginx-internal.example.com', 'n'.repeat(253)],
  LOG_LEVEL: ['DEBUG', 'info', 'Warning', 'ERROR'],
  PRUNE_LIMIT: ['25', '50%', '0', '999999999%'],
  ROLLOUT_BUDGET: ['1', '999999999', '1%', '100%', 'off'],
  ROLLOUT_FAILURES: ['0', '999'],
  ROLLOUT_TIMEOUT_SECONDS: ['60', '600', '99999'],
  SETTLE_SECONDS: ['0', '15', '600'],
};

const spoilt = (values: readonly string[]): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.constantFrom(...values),
      fc.nat(300),
      fc.nat(2),
      fc.oneof(fc.constantFrom('', '0', '9', '%', '-', '.', ' ', '?', ':', '/', 'é'), fc.string()),
    )
    .map(([value, place, length, put]) => {
      const at = place % (value.length + 1);
      return value.slice(0, at) + put + value.slice(at + length);
    });

describe('the variables that Terraform passes on', () => {
  it('are those that generate passes on, and each has values here', () => {
    const names = environmentForms.map(([name]) => name).toSorted();
    expect([...passedThrough, ...config.settings].toSorted()).toEqual(names);
    expect(Object.keys(good).toSorted()).toEqual(names);
  });

  it.each(Object.entries(good))(
    '%s: the functions accept every value that Terraform accepts',
    (name, values) => {
      const form = formOf(name);
      for (const value of values)
        expect([form.test(value), isTaken(name, value)]).toEqual([true, true]);
      fc.assert(
        fc.property(spoilt(values), (value) => {
          if (form.test(value)) expect(isTaken(name, value), value).toBe(true);
        }),
        effort(5000),
      );
    },
  );

  it.each(['CONCURRENCY', 'SETTLE_SECONDS'])(
    '%s has the same bounds as in the functions',
    (name) => {
      const form = formOf(name);
      for (let value = -1; value < 700; value++)
        expect([value, form.test(`${value}`)]).toEqual([value, isTaken(name, `${value}`)]);
    },
  );
});

describe('generate and Terraform agree on', () => {
  it.each([
    { option: 'name', pattern: forms.name.form, of: 'name', at: 0 },
    { option: 'project', pattern: forms.project.form, of: 'project', at: 0 },
    { option: 'region', pattern: forms.region.form, of: 'region', at: 0 },
    { option: 'cluster', pattern: forms.cluster.form, of: 'clusters', at: 0 },
    { option: 'location', pattern: forms.location.form, of: 'clusters', at: 1 },
  ])('the form of $option', ({ pattern, of, at }) => {
    expect(patternsOf(of)[at]).toBe(pattern.source);
  });

  it('the form of an endpoint', () => {
    expect(hostName.source).toBe(`^${resolved(String(locals.host_name))}$`);
    expect(patternsOf('clusters')[2]).toBe(`^${resolved(String(locals.host))}$`);
  });

  it('the bound of a deadline', () => {
    const [bound] = JSON.stringify(variable.deadline_seconds).match(/resync <= \d+/) ?? [];
    expect(bound).toBe(`resync <= ${longestDeadline}`);
  });
});
