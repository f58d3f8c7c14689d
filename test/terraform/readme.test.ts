import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfiguration, terraformDirectory } from './configuration.ts';

const root = await readConfiguration(terraformDirectory);

describe('the README', () => {
  const text = readFileSync(join(terraformDirectory, 'README.md'), 'utf8');

  it.each(Object.keys(root.variable))('tells of the variable %s', (name) => {
    expect(text).toContain(`\`${name}\``);
  });

  it('says what nobody has tried', () => {
    expect(text).toMatch(/never been (planned or )?applied/);
  });
});
