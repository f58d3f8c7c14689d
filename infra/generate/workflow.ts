import { commandName } from '../package-root.ts';
import { containerImage, type PackageManager } from './container.ts';

const setup: Readonly<Record<PackageManager, string>> = {
  npm: `\
      - uses: actions/setup-node@v5
        with:
          node-version: ${containerImage.node}
          cache: npm
      - run: npm ci`,
  pnpm: `\
      # Installs the version that package.json names, if it names one.
      - run: corepack enable
      - uses: actions/setup-node@v5
        with:
          node-version: ${containerImage.node}
          cache: pnpm
      - run: pnpm install --frozen-lockfile`,
};

/** The maximum length of a plan in a GitHub comment. The whole comment may have 65,536 characters. */
const maxPlanLength = 60_000;

/** The hidden first line of each comment, by which the next run finds the comment to replace. */
const markers = {
  plan: '<!-- plan of the reconciler -->',
  impact: '<!-- serverless-reconciler impact -->',
} as const;

/**
 * Generates a workflow for GitHub Actions: path → text.
 *
 * Guarantees: code of a pull request runs with a read-only token. It gets the kubeconfig only if the branch is in this
 * repository. The jobs that post comments or read the bucket of recordings run no code of the pull request.
 */
export const workflowFiles = (manager: PackageManager): ReadonlyMap<string, string> =>
  new Map([['.github/workflows/reconciler.yaml', workflow(manager)]]);

const workflow = (manager: PackageManager): string => `\
name: reconciler

on:
  push:
    branches: [main]
  pull_request:

permissions: {}

# Actions are named by major version. A tag can be moved: pin each action to the full SHA of a commit.

jobs:
  build:
    runs-on: ubuntu-latest
    permissions:
      contents: read
    steps:
      - uses: actions/checkout@v5
        with:
          persist-credentials: false
${setup[manager]}
      - run: ${manager} run --if-present check
      - run: ${manager} run --if-present test
      - run: ${commandName} build

  # Shows what a run would do with the changes of a pull request. Forks get no secrets.
  plan:
    needs: build
    if: github.event_name == 'pull_request' && github.event.pull_request.head.repo.full_name == github.repository
    runs-on: ubuntu-latest
    permissions:
      contents: read
    steps:
      - uses: actions/checkout@v5
        with:
          persist-credentials: false
${setup[manager]}
      # The user in the secret KUBECONFIG must be allowed only get and list, because code of the branch acts as this user.
      - name: Plan
        shell: bash
        env:
          KUBECONFIG_TEXT: \${{ secrets.KUBECONFIG }}
          KUBECONFIG: \${{ runner.temp }}/kubeconfig
        run: |
          (umask 077 && printf '%s' "$KUBECONFIG_TEXT" > "$KUBECONFIG")
          unset KUBECONFIG_TEXT
          trap 'rm -f "$KUBECONFIG"' EXIT
          ${commandName} plan > plan.txt
          cat plan.txt
      - uses: actions/upload-artifact@v4
        with:
          name: plan
          path: plan.txt
          retention-days: 5

${comment('plan', planBody)}
  # Reads the newest recording of every cluster, if the variable RECORD_BUCKET names the bucket.
  recordings:
    needs: build
    if: vars.RECORD_BUCKET && github.event_name == 'pull_request' && github.event.pull_request.head.repo.full_name == github.repository
    runs-on: ubuntu-latest
    permissions:
      id-token: write
    steps:
      # The service account RECORD_READER needs roles/storage.objectViewer on the bucket, and nothing else.
      - uses: google-github-actions/auth@v3
        with:
          workload_identity_provider: \${{ vars.RECORD_IDENTITY_PROVIDER }}
          service_account: \${{ vars.RECORD_READER }}
      - uses: google-github-actions/setup-gcloud@v3
      - name: Recordings
        shell: bash
        env:
          BUCKET: \${{ vars.RECORD_BUCKET }}
        run: |
          # Names sort by time, so the last one of each directory is the newest.
          gcloud storage ls "gs://$BUCKET/resync/**" | sort |
            awk '{ directory = $0; sub(/[^/]*$/, "", directory); newest[directory] = $0 } END { for (one in newest) print newest[one] }' > newest.txt
          while read -r one; do
            to="recordings/\${one#"gs://$BUCKET/"}"
            mkdir -p "$(dirname "$to")"
            gcloud storage cp "$one" "$to"
          done < newest.txt
      - run: tar -cf recordings.tar recordings
      - uses: actions/upload-artifact@v4
        with:
          name: recordings
          path: recordings.tar
          retention-days: 1

  # Shows what the changes of a pull request do to every cluster, without access to any.
  impact:
    needs: recordings
    runs-on: ubuntu-latest
    permissions:
      contents: read
    steps:
      - uses: actions/checkout@v5
        with:
          persist-credentials: false
${setup[manager]}
      - uses: actions/download-artifact@v5
        with:
          name: recordings
      - run: tar -xf recordings.tar
      - name: Impact
        shell: bash
        run: |
          # A broken policy fails this step; the comment names it.
          ${commandName} impact recordings -o markdown > impact.txt
      - if: always()
        uses: actions/upload-artifact@v4
        with:
          name: impact
          path: impact.txt
          retention-days: 5

${comment('impact', impactBody)}`;

const planBody = `\
          # Indents by four spaces, so that Markdown shows plain text: a plan quotes what others wrote into the cluster.
          {
            printf '${markers.plan}\\nPlan of the reconciler for this branch:\\n\\n'
            awk -v most=${maxPlanLength} '
              (size += length($0) + 5) > most { cut = 1; exit }
              { print "    " $0 }
              END { if (cut) print "\\nThe plan is too long for a comment. The whole plan is in the artifacts of the workflow run." }
            ' plan.txt
          } > comment.md`;

const impactBody = `\
          grep -q . impact.txt
          head -c ${maxPlanLength} impact.txt > comment.md`;

/** Comments with the result of the job `name`, and replaces its earlier comment. */
const comment = (name: keyof typeof markers, body: string): string => `\
  comment-${name}:
    needs: ${name}
${name === 'impact' ? "    if: always() && (needs.impact.result == 'success' || needs.impact.result == 'failure')\n" : ''}    runs-on: ubuntu-latest
    permissions:
      pull-requests: write
    steps:
      - uses: actions/download-artifact@v5
        with:
          name: ${name}
      - name: Comment
        shell: bash
        env:
          GH_TOKEN: \${{ github.token }}
          GH_REPO: \${{ github.repository }}
          PULL_REQUEST: \${{ github.event.pull_request.number }}
        run: |
${body}
          # Other workflows comment as the same user.
          ours='.[] | select(.user.login == "github-actions[bot]" and (.body | startswith("${markers[name]}"))) | .id'
          id=$(gh api --paginate "repos/$GH_REPO/issues/$PULL_REQUEST/comments" --jq "$ours" | tail -n 1)
          if [ -n "$id" ]; then
            gh api --silent --method PATCH "repos/$GH_REPO/issues/comments/$id" -F body=@comment.md
          else
            gh pr comment "$PULL_REQUEST" --body-file comment.md
          fi
`;
