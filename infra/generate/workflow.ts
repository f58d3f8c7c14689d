import { commandName } from '../package-root.ts';
import { container, type PackageManager } from './container.ts';

const setup: Readonly<Record<PackageManager, string>> = {
  npm: `\
      - uses: actions/setup-node@v5
        with:
          node-version: ${container.node}
          cache: npm
      - run: npm ci`,
  pnpm: `\
      # Installs the version that package.json names, if it names one.
      - run: corepack enable
      - uses: actions/setup-node@v5
        with:
          node-version: ${container.node}
          cache: pnpm
      - run: pnpm install --frozen-lockfile`,
};

/** Leaves room in a GitHub comment, which may have 65,536 characters. */
const mostOfPlan = 60_000;

/** The first line of our comment, which GitHub does not show; the next run replaces the comment. */
const marker = '<!-- plan of the reconciler -->';

/**
 * Generates a workflow for GitHub Actions: path → text.
 *
 * Guarantees: code of a pull request runs with a read-only token, and with the kubeconfig only if its branch
 * is in this repository. The job that comments runs none of that code.
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
      # The secret KUBECONFIG must be a kubeconfig that may only get and list: code of the branch uses it.
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

  comment:
    needs: plan
    runs-on: ubuntu-latest
    permissions:
      pull-requests: write
    steps:
      - uses: actions/download-artifact@v5
        with:
          name: plan
      - name: Comment
        shell: bash
        env:
          GH_TOKEN: \${{ github.token }}
          GH_REPO: \${{ github.repository }}
          PULL_REQUEST: \${{ github.event.pull_request.number }}
        run: |
          # Indents by four spaces, so that Markdown shows plain text: a plan quotes what others wrote into the cluster.
          {
            printf '${marker}\\nPlan of the reconciler for this branch:\\n\\n'
            awk -v most=${mostOfPlan} '
              (size += length($0) + 5) > most { cut = 1; exit }
              { print "    " $0 }
              END { if (cut) print "\\nThe plan is too long for a comment: the whole plan is an artifact of this run." }
            ' plan.txt
          } > comment.md
          # Other workflows comment as the same user.
          ours='.[] | select(.user.login == "github-actions[bot]" and (.body | startswith("${marker}"))) | .id'
          id=$(gh api --paginate "repos/$GH_REPO/issues/$PULL_REQUEST/comments" --jq "$ours" | tail -n 1)
          if [ -n "$id" ]; then
            gh api --silent --method PATCH "repos/$GH_REPO/issues/comments/$id" -F body=@comment.md
          else
            gh pr comment "$PULL_REQUEST" --body-file comment.md
          fi
`;
