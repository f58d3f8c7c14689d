import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Kind } from '../../shared/kinds/kind.ts';
import { packageRoot } from '../package-root.ts';
import { auditedTypes } from './audit/audited-types.ts';

/** The root module, of this repository or of the published package. */
export const terraformDirectory = join(packageRoot, 'terraform');

/** Paths relative to the generated directory, in the syntax of Terraform. */
interface TerraformPaths {
  readonly source: string;
  /** `dist/`, which `build` writes. */
  readonly build: string;
}

/** Generates files that call this package's Terraform module with these kinds: path → text. */
export function terraformFiles(
  kinds: readonly Kind[],
  paths: TerraformPaths,
): ReadonlyMap<string, string> {
  const variables = readFileSync(join(terraformDirectory, 'variables.tf'), 'utf8');
  const outputs = readFileSync(join(terraformDirectory, 'outputs.tf'), 'utf8');
  return new Map([
    ['main.tf', main(blocksIn(variables, 'variable'), paths)],
    ['variables.tf', variables],
    ['outputs.tf', outputsOf(outputs)],
    ['kinds.json', `${JSON.stringify(auditedTypes(kinds), null, 2)}\n`],
  ]);
}

const blocksIn = (text: string, type: string): readonly string[] =>
  [...text.matchAll(new RegExp(`^${type} "(\\w+)" \\{$`, 'gm'))].map(([, name = '']) => name);

function main(variables: readonly string[], { source, build }: TerraformPaths): string {
  const ofFiles: Readonly<Record<string, string>> = {
    build_directory: `coalesce(var.build_directory, "\${path.module}/${build}")`,
    kinds_file: `coalesce(var.kinds_file, "\${path.module}/kinds.json")`,
  };
  const width = Math.max(...variables.map(({ length }) => length));
  const given = variables.map(
    (name) => `  ${name.padEnd(width)} = ${ofFiles[name] ?? `var.${name}`}`,
  );
  return `\
# Written by \`reconciler generate terraform\`, with variables.tf, outputs.tf and kinds.json: run it again after
# an upgrade or a change of kinds. Put your values into a .tfvars file and your backend into backend.tf.

terraform {
  required_version = ">= 1.9"

  required_providers {
    google = {
      source = "hashicorp/google"
    }
  }
}

provider "google" {
  project = var.project
  region  = var.region
}

module "reconciler" {
  source = "${source}"

${given.join('\n')}
}
`;
}

const outputsOf = (text: string): string =>
  blocksIn(text, 'output')
    .map((name) => `output "${name}" {\n  value = module.reconciler.${name}\n}\n`)
    .join('\n');
