import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfiguration, terraformDirectory } from './configuration.ts';

const root = await readConfiguration();

describe('the README of the Terraform module', () => {
  const text = readFileSync(join(terraformDirectory, 'README.md'), 'utf8');

  it.each(Object.keys(root.variable))('describes the variable %s', (name) => {
    expect(text).toContain(`\`${name}\``);
  });

  it('describes every metric', async () => {
    const { locals } = await readConfiguration(join(terraformDirectory, 'modules', 'monitoring'));
    for (const name of Object.keys(locals.metrics as object)) expect(text).toContain(`\`${name}\``);
  });

  it.each([
    { before: 'gcloud auth login', after: 'gcloud services enable' },
    { before: 'gcloud auth application-default login', after: 'set-quota-project $PROJECT' },
    { before: 'gke-gcloud-auth-plugin', after: 'get-credentials' },
    { before: '--dns-endpoint', after: 'kubectl create namespace team-a' },
    { before: 'kubectl create namespace team-b', after: 'generate rbac' },
    { before: 'npm run build\n', after: 'terraform -chdir=terraform plan' },
    { before: 'generate terraform-variables', after: 'terraform -chdir=terraform plan' },
    { before: 'terraform -chdir=terraform apply', after: 'gcloud scheduler jobs run' },
  ])('mentions "$before" before "$after"', ({ before, after }) => {
    expect(text).toContain(before);
    expect(text.indexOf(after)).toBeGreaterThan(text.indexOf(before));
  });

  it('sets every variable in the file, because the next apply may run in another shell', () => {
    expect(text).toMatch(/generate terraform-variables .*--region \$REGION/);
    expect(text).not.toContain('TF_VAR_');
  });

  it('states what is untested', () => {
    expect(text).toMatch(/never been (planned or )?applied/);
  });
});
