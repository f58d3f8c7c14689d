import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { terraformDirectory } from './configuration.ts';
import { buildTofu } from './tools/build-tofu.ts';

const run = promisify(execFile);

/** A copy of a module in a directory of its own, so that nothing is left among the sources. */
export interface Workspace {
  /** Runs the tests of the module and resolves with their output; throws if one fails. */
  readonly test: () => Promise<string>;
  /** Resolves with the outputs for these variables; throws if the module refuses them. */
  readonly outputs: (variables: object) => Promise<Readonly<Record<string, unknown>>>;
  readonly remove: () => Promise<void>;
}

/** Opens OpenTofu for offline use. */
export async function openTofu() {
  const program = await buildTofu((line) => process.stderr.write(`${line}\n`));
  const tofu = async (args: readonly string[], cwd: string): Promise<string> => {
    const env = { ...process.env, TF_CLI_CONFIG_FILE: '/dev/null', TF_IN_AUTOMATION: '1' };
    const options = { cwd, env, maxBuffer: 16 << 20 };
    const { stdout } = await run(program, [...args], options).catch((error: Output) => {
      throw new Error(`tofu ${args[0]} failed:\n${error.stdout}${error.stderr}`, { cause: error });
    });
    return stdout;
  };
  return {
    checkFormat: () => tofu(['fmt', '-check', '-diff', '-recursive'], terraformDirectory),
    /**
     * Resolves with the errors of `init` in a configuration that calls the root module as `./module`. No
     * provider can be found, which is an error as well; modules are checked before.
     */
    async call(configuration: string): Promise<ReadonlySet<string>> {
      const directory = await mkdtemp(join(tmpdir(), 'caller-'));
      try {
        await cp(terraformDirectory, join(directory, 'module'), { recursive: true });
        await writeFile(join(directory, 'main.tf'), configuration);
        const offline = ['init', '-backend=false', '-no-color', `-plugin-dir=${directory}`];
        const output = await tofu(offline, directory).catch(({ message }: Error) => message);
        return new Set(output.match(/(?<=Error: ).*/g));
      } finally {
        await rm(directory, { recursive: true, force: true });
      }
    },
    async open(module: string): Promise<Workspace> {
      const directory = await mkdtemp(join(tmpdir(), `${module}-`));
      await cp(join(terraformDirectory, 'modules', module), directory, { recursive: true });
      await tofu(['init', '-backend=false', '-no-color'], directory);
      return {
        test: () => tofu(['test', '-no-color'], directory),
        async outputs(variables) {
          await writeFile(join(directory, 'terraform.tfvars.json'), JSON.stringify(variables));
          await tofu(['apply', '-auto-approve', '-no-color'], directory);
          const outputs = JSON.parse(await tofu(['output', '-json'], directory)) as Outputs;
          return Object.fromEntries(
            Object.entries(outputs).map(([name, { value }]) => [name, value]),
          );
        },
        remove: () => rm(directory, { recursive: true, force: true }),
      };
    },
  };
}

interface Output {
  readonly stdout: string;
  readonly stderr: string;
}

type Outputs = Readonly<Record<string, { readonly value: unknown }>>;
