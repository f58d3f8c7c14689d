import { readFileSync } from 'node:fs';
import { Type } from 'typebox';
import { Check, Errors } from 'typebox/schema';
import { messageOf } from '../../../shared/cluster/cluster-errors.ts';
import type { Preview } from '../../../shared/preview/preview.ts';
import { parseRequest, type ReconcileRequest } from '../../../shared/reconcile-request.ts';
import { type StoredPreview, storedPreviewSchema } from '../../actions/stale-plan.ts';
import { writePrivateFile } from '../../private-file.ts';
import { CommandError, UsageError } from '../base/command-errors.ts';

/** A plan to apply later, with the versions of the objects that it is based on. */
export interface PlanFile<Planned = Preview> {
  readonly format: 'serverless-reconciler/plan';
  readonly version: 1;
  readonly scope: ReconcileRequest;
  readonly preview: Planned;
}

export const planFile = (request: ReconcileRequest, preview: Preview): PlanFile => ({
  format: 'serverless-reconciler/plan',
  version: 1,
  scope: request,
  preview,
});

const schema = Type.Object({
  format: Type.Literal('serverless-reconciler/plan'),
  version: Type.Literal(1),
  scope: Type.Unknown(),
  preview: storedPreviewSchema,
});

export function readPlanFile(file: string): PlanFile<StoredPreview> {
  const value = parse(file);
  if (!Check(schema, value)) {
    const [first] = Errors(schema, value)[1];
    const where =
      first === undefined ? '' : ` (${`${first.instancePath} ${first.message}`.trim()})`;
    throw new UsageError(`${file} is not a plan${where}: write one with plan --out FILE`);
  }
  const request = parseRequest(value.scope);
  if (typeof request === 'string')
    throw new UsageError(`${file} is not a plan: invalid scope: ${request}`);
  return { ...value, scope: request };
}

function parse(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(
      `the plan ${file} cannot be read: ${messageOf(error)}; write one with plan --out FILE, or name a kind with --kind KIND, a resource as KIND NAME`,
    );
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${file} is not a plan: not valid JSON; write one with plan --out FILE`);
  }
}

export function writePlanFile(file: string, plan: PlanFile): void {
  try {
    writePrivateFile(file, `${JSON.stringify(plan, null, 2)}\n`);
  } catch (error) {
    throw new CommandError(
      `the plan cannot be written to ${file}: ${messageOf(error)}; choose another --out FILE`,
    );
  }
}
