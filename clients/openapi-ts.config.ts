export default {
  input: "./build/openapi.json",
  output: "./build/hey-api",
  plugins: ["@hey-api/client-fetch", "@hey-api/sdk", "@hey-api/typescript"],
};
