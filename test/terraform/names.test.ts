import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { variables } from '../../shared/config/variables.ts';
import { graceMs } from '../../shared/run/fairness.ts';
import { config } from '../support/config.ts';
import { nested, readConfiguration, terraformDirectory } from './configuration.ts';

const moduleDirectory = (name: string) => join(terraformDirectory, 'modules', name);
const textOf = async (name: string) =>
  JSON.stringify(await readConfiguration(moduleDirectory(name))).replaceAll('\\"', '"');
const monitoring = await textOf('monitoring');

const root = join(import.meta.dirname, '..', '..');
const controller = join(root, 'shared', 'controller');
/** Source text of everything that logs the lines which the metrics count. */
const doors = [join(root, 'functions'), controller, join(root, 'shared', 'rollout')]
  .flatMap((directory) =>
    readdirSync(directory, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(join(directory, name), 'utf8')),
  )
  .join('\n');

describe('the infrastructure relies only on', () => {
  it('variables that the code or the platform reads', async () => {
    const { locals, variable } = await readConfiguration(moduleDirectory('settings'));
    const conditions = variable.environment?.map(({ validation }) =>
      nested({ validation }, 'validation'),
    );
    const text = JSON.stringify([locals, conditions?.map(({ condition }) => condition)]);
    const notOfPem = text.replaceAll(/-----[A-Z ]+-----/g, '');
    const named = new Set(notOfPem.match(/\b[A-Z][A-Z_]{3,}\b/g));
    const platform = ['LOG_EXECUTION_ID', 'NODE_OPTIONS'];
    const known = new Set<string>([...variables, ...config.settings, ...platform]);
    const unknown = [...named].filter((name) => !known.has(name));
    expect(unknown).toEqual([]);
    expect(named.size).toBeGreaterThan(10);
  });

  it('the time that a run has beyond its deadline', async () => {
    const { locals } = await readConfiguration(moduleDirectory('settings'));
    expect(graceMs).toBe(Number(locals.grace_seconds) * 1000);
  });

  it.each(
    [...monitoring.matchAll(/jsonPayload\.message=\\?"([^"\\]+)\\?"/g)].map(
      ([, message]) => message,
    ),
  )('a message that a function logs: %s', (message) => {
    // A summary is written at any LOG_LEVEL; otherwise a quiet log would look like an outage.
    const line = ['run failed', 'rollout halted'].includes(message!) ? 'error' : 'summary';
    expect(doors).toContain(`log.${line}('${message}'`);
  });

  it.each([
    ...new Set([...monitoring.matchAll(/jsonPayload\.([a-zA-Z]+)/g)].map(([, field]) => field!)),
  ])('a field of those log lines: %s', (field) => {
    const fields = [...doors.matchAll(/log\.summary\('(?:resynced|fanned out)', \{([^}]*)\}/g)];
    const given = [
      'message',
      'cluster',
      ...fields.flatMap(([, text]) => text!.match(/\w+/g) ?? []),
    ];
    expect(given).toContain(field);
  });

  it.each(['resynced', 'fanned out'])('a number of incomplete kinds on the line: %s', (message) => {
    const [, fields] = doors.match(new RegExp(`log\\.summary\\('${message}', \\{([^}]*)\\}`)) ?? [];
    expect(fields).toMatch(/\bincomplete: [\w.]*\blength\b/);
  });

  it('one log line for a failed request, or one per failed cluster of several', () => {
    expect(doors.match(/log\.error\('run failed'/g)).toHaveLength(2);
  });
});
