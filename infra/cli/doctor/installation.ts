/** Where to find what the cluster does not show: a command, or a description. */
export interface Logs {
  readonly ticks: string;
  readonly audit: string;
}

export interface Installation {
  /** The cluster that npm start made. */
  readonly isLocal: boolean;
  /** As the API server reports it: `v1.33.2-gke.1043000` */
  readonly gitVersion: string;
  /** The Google Cloud project of the functions, as far as it is known. */
  readonly project: string | undefined;
}

const ticks =
  'jsonPayload.message="fanned out" OR (jsonPayload.message="resynced" AND jsonPayload.trigger="tick")';
const audit = 'jsonPayload.message="resynced" AND jsonPayload.trigger="audit"';

const isGoogle = ({ gitVersion }: Installation): boolean => gitVersion.includes('-gke.');

/** Where the functions of that installation log. */
export function logsOf(installation: Installation): Logs {
  if (installation.isLocal)
    return {
      ticks: 'what npm start prints under tick',
      audit: 'what npm start prints under audit after an edit',
    };
  if (!isGoogle(installation))
    return {
      ticks: 'the log of the resync function: its newest line "resynced" with trigger "tick"',
      audit: 'the log of the audit function: its newest line "resynced" with trigger "audit"',
    };
  const project = installation.project === undefined ? '' : ` --project ${installation.project}`;
  const read = (filter: string): string =>
    `gcloud logging read 'resource.type="cloud_run_revision" AND (${filter})' --limit 1 --format 'value(timestamp)'${project}`;
  return { ticks: read(ticks), audit: read(audit) };
}

/** Where a variable of the functions is set. */
export function settingOf(variable: string, installation: Installation): string {
  if (installation.isLocal) return `${variable}=… npm start`;
  if (isGoogle(installation))
    return `environment = { ${variable} = "…" }   # in terraform.tfvars; where reconciler.auto.tfvars.json holds "environment", that one wins: add "${variable}": "…" there; then terraform apply`;
  return `${variable}=…   # in the environment of both functions, and of this command`;
}
