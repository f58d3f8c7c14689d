import {
  type api,
  child,
  configMap,
  cronJob,
  defineKind,
  nameAtMost,
  objectName,
  ofType,
  type Rule,
  type Static,
  type StatusInput,
  serviceAccount,
  Type,
  withRules,
} from 'serverless-reconciler';
import { isSchedule } from './schedule.ts';

const claim = Type.String({ minLength: 1, maxLength: 253 });

const isNotItsOwnTarget: Rule = {
  rule: 'self.source != self.target',
  holds: ({ source, target }: { readonly source: string; readonly target: string }) =>
    source !== target,
  message: 'must be another claim than source',
  fieldPath: '.target',
};

const spec = Type.Object(
  {
    /** The PersistentVolumeClaim to archive. */
    source: claim,
    /** The PersistentVolumeClaim that the archives are written to. */
    target: claim,
    schedule: Type.String({ maxLength: 100, default: '0 3 * * *', ...withRules(isSchedule) }),
    timeZone: Type.String({ minLength: 1, maxLength: 64, default: 'Etc/UTC' }),
    /** The number of archives to keep. */
    keep: Type.Integer({ minimum: 1, maximum: 365, default: 7 }),
    suspend: Type.Boolean({ default: false }),
    image: Type.String({ minLength: 1, default: 'busybox:1.37' }),
  },
  withRules(isNotItsOwnTarget),
);

type Spec = Static<typeof spec>;

const time = Type.Optional(Type.String({ format: 'date-time' }));

/** Archives a volume on a schedule. */
export const backup = defineKind({
  group: 'backup.example.org',
  version: 'v1alpha1',
  kind: 'Backup',
  plural: 'backups',
  spec,
  status: { lastScheduleTime: time, lastSuccessfulTime: time },
  columns: [
    { name: 'Schedule', type: 'string', jsonPath: '.spec.schedule' },
    { name: 'Suspended', type: 'boolean', jsonPath: '.spec.suspend' },
    { name: 'Last success', type: 'date', jsonPath: '.status.lastSuccessfulTime' },
  ],
  // The CronJob has the same name, which may have at most 52 characters.
  rules: [nameAtMost(52)],
  samples: [{ name: 'backup-sample', spec: { source: 'data', target: 'archives' } }],
  owns: [serviceAccount, configMap, cronJob],
  children({ name, spec: given }) {
    const account = child(serviceAccount, {
      name: objectName(`${name}-backup`),
      body: { automountServiceAccountToken: false },
    });
    const scripts = child(configMap, {
      name: objectName(`${name}-backup`),
      body: { data: { 'backup.sh': script } },
    });
    return [
      account,
      scripts,
      child(cronJob, {
        name,
        needs: [account, scripts],
        body: {
          spec: {
            schedule: given.schedule,
            timeZone: given.timeZone,
            suspend: given.suspend,
            concurrencyPolicy: 'Forbid',
            jobTemplate: {
              spec: {
                backoffLimit: 2,
                template: pod(given, { account: account.name, scripts: scripts.name }),
              },
            },
          },
        },
      }),
    ];
  },
  statusOf: timesOf,
  conditions: ['LastRunFailed'],
  conditionsOf(found) {
    const { lastScheduleTime = '', lastSuccessfulTime = '' } = timesOf(found);
    if (cronJobOf(found).active !== 0 || lastSuccessfulTime >= lastScheduleTime) return [];
    const message = `the run of ${lastScheduleTime} has not succeeded`;
    return [{ type: 'LastRunFailed', status: 'True', reason: 'NotSucceeded', message }];
  },
});

/** Writes an archive under a temporary name until it is complete. */
const script = `set -eu
archive="/target/$(date -u +%Y%m%dT%H%M%SZ).tar.gz"
tar -czf "$archive.part" -C /source .
mv "$archive.part" "$archive"
ls -1 /target/*.tar.gz | sort -r | tail -n +$((KEEP + 1)) | xargs -r rm --
`;

function pod({ source, target, keep, image }: Spec, names: PodNames): api.PodTemplateSpec {
  const mount = (name: string, readOnly = true) => ({ name, mountPath: `/${name}`, readOnly });
  return {
    spec: {
      serviceAccountName: names.account,
      restartPolicy: 'Never',
      containers: [
        {
          name: 'backup',
          image,
          command: ['sh', '/scripts/backup.sh'],
          env: [{ name: 'KEEP', value: String(keep) }],
          volumeMounts: [mount('scripts'), mount('source'), mount('target', false)],
        },
      ],
      volumes: [
        { name: 'scripts', configMap: { name: names.scripts } },
        { name: 'source', persistentVolumeClaim: { claimName: source, readOnly: true } },
        { name: 'target', persistentVolumeClaim: { claimName: target } },
      ],
    },
  };
}

interface PodNames {
  readonly account: string;
  readonly scripts: string;
}

/** Returns the facts about the live CronJob. */
const cronJobOf = ({ children }: StatusInput) => ofType(children, cronJob)[0]?.facts ?? {};

function timesOf(found: StatusInput) {
  const { lastScheduleTime, lastSuccessfulTime } = cronJobOf(found);
  return {
    ...(lastScheduleTime === undefined ? {} : { lastScheduleTime }),
    ...(lastSuccessfulTime === undefined ? {} : { lastSuccessfulTime }),
  };
}
