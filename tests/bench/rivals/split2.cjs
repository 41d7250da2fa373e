// Node with split2, one line at a time. It rewrites nothing, which is in its favour.
// Without a file it exits with 0, to show that split2 is installed.
const { createReadStream } = require("node:fs");
const { Transform, pipeline } = require("node:stream");
const split2 = require("split2");

const [path] = process.argv.slice(2);
if (path !== undefined) {
  pipeline(
    createReadStream(path),
    split2(JSON.parse),
    new Transform({
      writableObjectMode: true,
      transform(record, _encoding, done) {
        done(null, `${JSON.stringify(record)}\n`);
      },
    }),
    process.stdout,
    (error) => {
      if (error) process.exitCode = 1;
    },
  );
}
